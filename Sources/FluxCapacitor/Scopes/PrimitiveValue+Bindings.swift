// MARK: - On the main actor

extension PrimitiveValue {
  /// Writes the current value, and then every change, to a property of an object on the main actor.
  ///
  /// ```swift
  /// @MainActor
  /// final class CountView {
  ///   var count = 0
  ///
  ///   init(counter: Constant<Int>) {
  ///     counter.bind(to: self, \.count)
  ///   }
  /// }
  /// ```
  ///
  /// If a change is made on the main queue, and no earlier one is still on its way there, the value
  /// is written immediately. See ``observe(on:ignoreFirst:changes:)-(ExecuteQueue.Main,_,_)`` for
  /// the order.
  ///
  /// - Parameters:
  ///   - target: The object, held weakly. The first change after it is deallocated ends the observation.
  ///   - queue: `.main`.
  ///   - keyPath: The property.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
  @MainActor @discardableResult public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ keyPath: ReferenceWritableKeyPath<Target, Element>
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Writes the current value, and then every change, to an optional property of an object on the main actor.
  ///
  /// The property may be the text of a label, for example.
  ///
  /// - Parameters:
  ///   - target: The object, held weakly. The first change after it is deallocated ends the observation.
  ///   - queue: `.main`.
  ///   - keyPath: The property.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
  @MainActor @discardableResult public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ keyPath: ReferenceWritableKeyPath<Target, Element?>
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Calls a closure on the main actor with an object and the current value, and then with every change.
  ///
  /// The closure receives the object, so it doesn't have to capture it. It needs neither a strong
  /// capture, which would keep the object alive, nor a weak one.
  ///
  /// ```swift
  /// @MainActor
  /// final class TitleView {
  ///   private var title = ""
  ///
  ///   init(counter: Constant<Int>) {
  ///     counter.bind(to: self) { view, count in view.title = "\(count) items" }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - target: The object, held weakly. Once it is deallocated, no call starts any more. The
  ///     first change after that ends the observation and releases the closure.
  ///   - queue: `.main`.
  ///   - changes: Called with the object and each value.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
  @MainActor @discardableResult public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ changes: @escaping @MainActor @Sendable (Target, Element) -> Void
  ) -> Dust {
    ScopedObservation.observeOnMain(for: target, changes: changes) {
      observe(on: queue, changes: $0)
    }
  }
}

// MARK: - On any queue

extension PrimitiveValue {
  /// Writes the current value, and then every change, to a property of an object.
  ///
  /// - Parameters:
  ///   - target: The object, held weakly. The first change after it is deallocated ends the observation.
  ///   - queue: Where the property is written. Without this argument, it is written on the main actor.
  ///   - keyPath: The property.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
  @_disfavoredOverload @discardableResult public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ keyPath: ReferenceWritableKeyPath<Target, Element> & Sendable
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Writes the current value, and then every change, to an optional property of an object.
  ///
  /// - Parameters:
  ///   - target: The object, held weakly. The first change after it is deallocated ends the observation.
  ///   - queue: Where the property is written. Without this argument, it is written on the main actor.
  ///   - keyPath: The property.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
  @_disfavoredOverload @discardableResult public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ keyPath: ReferenceWritableKeyPath<Target, Element?> & Sendable
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Calls a closure with an object and the current value, and then with every change.
  ///
  /// The observation ends with its target. See <doc:Concurrency> for threads, order, and calls that wait.
  ///
  /// - Parameters:
  ///   - target: The object, held weakly. Once it is deallocated, no call starts any more. The
  ///     first change after that ends the observation and releases the closure.
  ///   - queue: Where `changes` is called. Without this argument, it is called on the main actor.
  ///   - changes: Called with the object and each value.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1). For a derived constant without observers, O(n) in the constants and
  ///   variables that it derives from.
  @_disfavoredOverload @discardableResult public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ changes: @escaping @Sendable (Target, Element) -> Void
  ) -> Dust {
    ScopedObservation.observe(for: target, changes: changes) { observe(on: queue, changes: $0) }
  }
}
