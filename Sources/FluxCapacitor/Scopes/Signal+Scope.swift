extension Signal {
  /// Tells every event from now on, as long as an object is there.
  ///
  /// - Parameters:
  ///   - object: It is held weakly, and must not be captured by the closure: once it is gone, no call
  ///     starts any more, and the first event ends the observation and frees the closure.
  ///   - queue: Where `changes` is called.
  ///   - changes: Called with each event.
  /// - Returns: The observation, to end it before its object.
  /// - Complexity: O(1).
  @_disfavoredOverload
  @discardableResult
  public func observe(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue = .current,
    changes: @escaping @Sendable (Event) -> Void
  ) -> Dust {
    Tether.observe(for: object, changes: { _, event in changes(event) }) {
      observe(on: queue, changes: $0)
    }
  }

  /// Tells every event from now on, on the main actor, as long as an object is there.
  ///
  /// - Parameters:
  ///   - object: It is held weakly, and must not be captured by the closure: once it is gone, no call
  ///     starts any more, and the first event ends the observation and frees the closure.
  ///   - queue: `.main`.
  ///   - changes: Called with each event.
  /// - Returns: The observation, to end it before its object.
  /// - Complexity: O(1).
  @discardableResult
  public func observe(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (Event) -> Void
  ) -> Dust {
    observe(duringScopeOf: object, on: ExecuteQueue.main) { event in
      MainActor.assumeIsolated { changes(event) }
    }
  }

  /// Tells every event from now on, on the main actor, as long as an object is there that only the
  /// main actor uses.
  ///
  /// - Parameters:
  ///   - object: It is held weakly, and must not be captured by the closure: once it is gone, no call
  ///     starts any more, and the first event ends the observation and frees the closure.
  ///   - queue: `.main`.
  ///   - changes: Called with each event.
  /// - Returns: The observation, to end it before its object.
  /// - Complexity: O(1).
  @MainActor
  @discardableResult
  public func observe(
    duringScopeOf object: some AnyObject,
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (Event) -> Void
  ) -> Dust {
    Tether.observeOnMain(for: object, changes: { _, event in changes(event) }) {
      observe(on: queue, changes: $0)
    }
  }
}
