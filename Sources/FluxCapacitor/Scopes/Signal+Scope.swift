extension Signal {
  /// Calls a closure with every later event, while an object exists.
  ///
  /// <doc:Concurrency> describes the threads, the order of the calls, and the calls that wait.
  ///
  /// > Warning: Don't capture the object strongly in the closure. A strong capture would keep the object
  /// alive, so the observation would not end by itself.
  ///
  /// - Parameters:
  ///   - object: The object. The observation holds the object weakly. After the object's deallocation, no
  ///     call starts. The first event after the deallocation ends the observation and releases the closure.
  ///   - queue: The queue on which `changes` is called.
  ///   - changes: The closure to call with each event.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1).
  @_disfavoredOverload @discardableResult public func observe(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue = .current,
    changes: @escaping @Sendable (Event) -> Void
  ) -> Dust {
    ScopedObservation.observe(for: object, changes: { _, event in changes(event) }) {
      observe(on: queue, changes: $0)
    }
  }

  /// Calls a closure on the main actor with every later event, while an object exists.
  ///
  /// Use this overload for a `Sendable` object, which any thread may use.
  ///
  /// > Warning: Don't capture the object strongly in the closure. A strong capture would keep the object
  /// alive, so the observation would not end by itself.
  ///
  /// - Parameters:
  ///   - object: The object. The observation holds the object weakly. After the object's deallocation, no
  ///     call starts. The first event after the deallocation ends the observation and releases the closure.
  ///   - queue: `.main`.
  ///   - changes: The closure to call with each event.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1).
  @discardableResult public func observe(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (Event) -> Void
  ) -> Dust {
    observe(duringScopeOf: object, on: ExecuteQueue.main) { event in
      MainActor.assumeIsolated { changes(event) }
    }
  }

  /// Calls a closure on the main actor with every later event, while an object exists.
  ///
  /// Use this overload for an object that only the main actor uses, such as a view.
  ///
  /// > Warning: Don't capture the object strongly in the closure. A strong capture would keep the object
  /// alive, so the observation would not end by itself.
  ///
  /// - Parameters:
  ///   - object: The object. The observation holds the object weakly. After the object's deallocation, no
  ///     call starts. The first event after the deallocation ends the observation and releases the closure.
  ///   - queue: `.main`.
  ///   - changes: The closure to call with each event.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1).
  @MainActor @discardableResult public func observe(
    duringScopeOf object: some AnyObject,
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (Event) -> Void
  ) -> Dust {
    ScopedObservation.observeOnMain(for: object, changes: { _, event in changes(event) }) {
      observe(on: queue, changes: $0)
    }
  }
}
