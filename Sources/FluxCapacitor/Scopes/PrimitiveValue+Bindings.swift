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
  /// If the change is made on the main queue, and no earlier one is still on its way there, it is
  /// written immediately; see ``observe(on:ignoreFirst:changes:)-(ExecuteQueue.Main,_,_)`` for the
  /// order.
  ///
  /// - Parameters:
  ///   - target: The object, held weakly. The first change after it is deallocated ends the
  ///     observation.
  ///   - queue: `.main`.
  ///   - keyPath: The property.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1).
  @MainActor @discardableResult public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ keyPath: ReferenceWritableKeyPath<Target, Element>
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Writes the current value, and then every change, to an optional property of an object on the
  /// main actor, such as the text of a label.
  ///
  /// - Parameters:
  ///   - target: The object, held weakly. The first change after it is deallocated ends the
  ///     observation.
  ///   - queue: `.main`.
  ///   - keyPath: The property.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1).
  @MainActor @discardableResult public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ keyPath: ReferenceWritableKeyPath<Target, Element?>
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Calls a closure on the main actor with an object and the current value, and then with every
  /// change.
  ///
  /// The closure receives the object, so it doesn't have to capture it, either strongly, which
  /// would keep it alive, or weakly.
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
  ///   - target: The object, held weakly. Once it is deallocated, no call starts any more; the
  ///     first change after that ends the observation and releases the closure.
  ///   - queue: `.main`.
  ///   - changes: Called with the object and each value.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1).
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
  ///   - target: The object, held weakly. The first change after it is deallocated ends the
  ///     observation.
  ///   - queue: Where the property is written. Without this argument, that is the main actor.
  ///   - keyPath: The property.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1).
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
  ///   - target: The object, held weakly. The first change after it is deallocated ends the
  ///     observation.
  ///   - queue: Where the property is written. Without this argument, that is the main actor.
  ///   - keyPath: The property.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1).
  @_disfavoredOverload @discardableResult public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ keyPath: ReferenceWritableKeyPath<Target, Element?> & Sendable
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Calls a closure with an object and the current value, and then with every change.
  ///
  /// It is the same as ``observe(on:ignoreFirst:changes:)-(ExecuteQueue,_,_)``, except that it ends
  /// with its target.
  ///
  /// - Parameters:
  ///   - target: The object, held weakly. Once it is deallocated, no call starts any more; the
  ///     first change after that ends the observation and releases the closure.
  ///   - queue: Where `changes` is called. Without this argument, that is the main actor.
  ///   - changes: Called with the object and each value.
  /// - Returns: The observation. Clean it to end it before its target is deallocated.
  /// - Complexity: O(1).
  @_disfavoredOverload @discardableResult public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ changes: @escaping @Sendable (Target, Element) -> Void
  ) -> Dust {
    ScopedObservation.observe(for: target, changes: changes) { observe(on: queue, changes: $0) }
  }
}
