extension PrimitiveValue {
  /// Calls a closure with the current value, and then with every change, for as long as an object exists.
  ///
  /// See <doc:Concurrency> for threads, order, and calls that wait.
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
  ///   - object: The object, held weakly. The closure must not capture it. Once it is deallocated,
  ///     no call starts any more. The first change after that ends the observation and releases the
  ///     closure.
  ///   - queue: Where `changes` is called.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: Called with each value.
  /// - Returns: The observation. Clean it to end it before the object is deallocated.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
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

  /// Calls a closure on the main actor with the current value and every change, for as long as an
  /// object exists.
  ///
  /// This overload is for an object that any thread may use.
  ///
  /// - Parameters:
  ///   - object: The object, held weakly. The closure must not capture it. Once it is deallocated,
  ///     no call starts any more. The first change after that ends the observation and releases the
  ///     closure.
  ///   - queue: `.main`.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: Called with each value.
  /// - Returns: The observation. Clean it to end it before the object is deallocated.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
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

  /// Calls a closure on the main actor with the current value and every change, for as long as an
  /// object exists.
  ///
  /// This overload is for an object that only the main actor uses, such as a view.
  ///
  /// - Parameters:
  ///   - object: The object, held weakly. The closure must not capture it. Once it is deallocated,
  ///     no call starts any more. The first change after that ends the observation and releases the
  ///     closure.
  ///   - queue: `.main`.
  ///   - ignoreFirst: Whether to skip the current value, and start with the next change.
  ///   - changes: Called with each value.
  /// - Returns: The observation. Clean it to end it before the object is deallocated.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
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
