extension ObservationSource {
  /// Calls a closure with the current value, if there is one, and then with every change or event, while an
  /// object exists.
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
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change. A signal has no
  ///     current value.
  ///   - changes: The closure to call with each value or event.
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

  /// Observes on the main actor, during the scope of a `Sendable` object.
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

  /// Observes on the main actor, during the scope of an object that only the main actor uses, such as a view.
  @MainActor @discardableResult public func observe(
    duringScopeOf object: some AnyObject,
    on queue: ExecuteQueue.Main,
    ignoreFirst: Bool = false,
    changes: @escaping @MainActor @Sendable (Element) -> Void
  ) -> Dust {
    ScopedObservation.observeOnMain(for: object, changes: { _, value in changes(value) }) {
      changes in
      observe(on: .main, ignoreFirst: ignoreFirst) { value in
        MainActor.assumeIsolated { changes(value) }
      }
    }
  }
}
