extension PrimitiveValue {
  /// Tells the current value, and then every change, as long as an object is there.
  ///
  /// ```swift
  /// final class Exporter: Sendable {
  ///   init(counter: Constant<Int>) {
  ///     counter.observe(duringScopeOf: self) { print("The counter stands at \($0).") }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - object: It is held weakly, and must not be captured by the closure: once it is gone, no call
  ///     starts any more, and the first change ends the observation and frees the closure.
  ///   - queue: Where `changes` is called.
  ///   - ignoreFirst: Whether to leave the current value out, and start with the next change.
  ///   - changes: Called with each value.
  /// - Returns: The observation, to end it before its object.
  /// - Complexity: O(1).
  @_disfavoredOverload
  @discardableResult
  public func observe(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue = .current,
    ignoreFirst: Bool = false,
    changes: @escaping @Sendable (Element) -> Void
  ) -> Dust {
    Tether.observe(for: object, changes: { _, value in changes(value) }) {
      observe(on: queue, ignoreFirst: ignoreFirst, changes: $0)
    }
  }

  /// Tells the current value, and then every change, on the main actor, as long as an object is there.
  ///
  /// - Parameters:
  ///   - object: It is held weakly, and must not be captured by the closure: once it is gone, no call
  ///     starts any more, and the first change ends the observation and frees the closure.
  ///   - queue: `.main`.
  ///   - ignoreFirst: Whether to leave the current value out, and start with the next change.
  ///   - changes: Called with each value.
  /// - Returns: The observation, to end it before its object.
  /// - Complexity: O(1).
  @discardableResult
  public func observe(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue.Main,
    ignoreFirst: Bool = false,
    changes: @escaping @MainActor @Sendable (Element) -> Void
  ) -> Dust {
    observe(duringScopeOf: object, on: ExecuteQueue.main, ignoreFirst: ignoreFirst) { value in
      MainActor.assumeIsolated { changes(value) }
    }
  }

  /// Tells the current value, and then every change, on the main actor, as long as an object is there
  /// that only the main actor uses.
  ///
  /// - Parameters:
  ///   - object: It is held weakly, and must not be captured by the closure: once it is gone, no call
  ///     starts any more, and the first change ends the observation and frees the closure.
  ///   - queue: `.main`.
  ///   - ignoreFirst: Whether to leave the current value out, and start with the next change.
  ///   - changes: Called with each value.
  /// - Returns: The observation, to end it before its object.
  /// - Complexity: O(1).
  @MainActor
  @discardableResult
  public func observe(
    duringScopeOf object: some AnyObject,
    on queue: ExecuteQueue.Main,
    ignoreFirst: Bool = false,
    changes: @escaping @MainActor @Sendable (Element) -> Void
  ) -> Dust {
    Tether.observeOnMain(for: object, changes: { _, value in changes(value) }) {
      observe(on: queue, ignoreFirst: ignoreFirst, changes: $0)
    }
  }
}
