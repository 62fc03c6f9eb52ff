extension PrimitiveValue {
  /// Calls a closure with the current value, and then with every change, while an object exists.
  ///
  /// <doc:Concurrency> describes the threads, the order of the calls, and the calls that wait.
  ///
  /// ```swift
  /// final class Exporter: Sendable {
  ///   init(counter: Constant<Int>) {
  ///     counter.observe(duringScopeOf: self) { print("The counter stands at \($0).") }
  ///   }
  /// }
  /// ```
  ///
  /// > Warning: Don't capture the object strongly in the closure. A strong capture would keep the object
  /// alive, so the observation would not end by itself.
  ///
  /// - Parameters:
  ///   - object: The object. The observation holds the object weakly. After the object's deallocation, no
  ///     call starts. The first change after the deallocation ends the observation and releases the
  ///     closure.
  ///   - queue: The queue on which `changes` is called.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: The closure to call with each value.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, the complexity is O(n), where n counts
  ///   all constants and variables upstream.
  @_disfavoredOverload @discardableResult public func observe(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue = .current,
    ignoreFirst: Bool = false,
    changes: @escaping @Sendable (Element) -> Void
  ) -> Dust {
    ScopedObservation.observe(for: object, changes: { _, value in changes(value) }) {
      observe(on: queue, ignoreFirst: ignoreFirst, changes: $0)
    }
  }

  /// Calls a closure on the main actor with the current value, and then with every change, while an object
  /// exists.
  ///
  /// Use this overload for a `Sendable` object, which any thread may use.
  ///
  /// > Warning: Don't capture the object strongly in the closure. A strong capture would keep the object
  /// alive, so the observation would not end by itself.
  ///
  /// - Parameters:
  ///   - object: The object. The observation holds the object weakly. After the object's deallocation, no
  ///     call starts. The first change after the deallocation ends the observation and releases the
  ///     closure.
  ///   - queue: `.main`.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: The closure to call with each value.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, the complexity is O(n), where n counts
  ///   all constants and variables upstream.
  @discardableResult public func observe(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue.Main,
    ignoreFirst: Bool = false,
    changes: @escaping @MainActor @Sendable (Element) -> Void
  ) -> Dust {
    observe(duringScopeOf: object, on: ExecuteQueue.main, ignoreFirst: ignoreFirst) { value in
      MainActor.assumeIsolated { changes(value) }
    }
  }

  /// Calls a closure on the main actor with the current value, and then with every change, while an object
  /// exists.
  ///
  /// Use this overload for an object that only the main actor uses, such as a view.
  ///
  /// > Warning: Don't capture the object strongly in the closure. A strong capture would keep the object
  /// alive, so the observation would not end by itself.
  ///
  /// - Parameters:
  ///   - object: The object. The observation holds the object weakly. After the object's deallocation, no
  ///     call starts. The first change after the deallocation ends the observation and releases the
  ///     closure.
  ///   - queue: `.main`.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: The closure to call with each value.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, the complexity is O(n), where n counts
  ///   all constants and variables upstream.
  @MainActor @discardableResult public func observe(
    duringScopeOf object: some AnyObject,
    on queue: ExecuteQueue.Main,
    ignoreFirst: Bool = false,
    changes: @escaping @MainActor @Sendable (Element) -> Void
  ) -> Dust {
    ScopedObservation.observeOnMain(for: object, changes: { _, value in changes(value) }) {
      observe(on: queue, ignoreFirst: ignoreFirst, changes: $0)
    }
  }
}
