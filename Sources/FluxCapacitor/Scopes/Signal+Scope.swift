extension Signal {
  /// Calls a closure with every event from now on, for as long as an object exists.
  ///
  /// See <doc:Concurrency> for threads, order, and calls that wait.
  ///
  /// - Parameters:
  ///   - object: The object, held weakly. The closure must not capture it. Once it is deallocated,
  ///     no call starts any more. The first event after that ends the observation and releases the
  ///     closure.
  ///   - queue: Where `changes` is called.
  ///   - changes: Called with each event.
  /// - Returns: The observation. Clean it to end it before the object is deallocated.
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

  /// Calls a closure on the main actor with every event from now on, for as long as an object exists.
  ///
  /// This overload is for an object that any thread may use.
  ///
  /// - Parameters:
  ///   - object: The object, held weakly. The closure must not capture it. Once it is deallocated,
  ///     no call starts any more. The first event after that ends the observation and releases the
  ///     closure.
  ///   - queue: `.main`.
  ///   - changes: Called with each event.
  /// - Returns: The observation. Clean it to end it before the object is deallocated.
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

  /// Calls a closure on the main actor with every event from now on, for as long as an object exists.
  ///
  /// This overload is for an object that only the main actor uses, such as a view.
  ///
  /// - Parameters:
  ///   - object: The object, held weakly. The closure must not capture it. Once it is deallocated,
  ///     no call starts any more. The first event after that ends the observation and releases the
  ///     closure.
  ///   - queue: `.main`.
  ///   - changes: Called with each event.
  /// - Returns: The observation. Clean it to end it before the object is deallocated.
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
