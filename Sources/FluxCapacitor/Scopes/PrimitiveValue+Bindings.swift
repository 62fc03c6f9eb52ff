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
  /// written at once; see ``observe(on:ignoreFirst:changes:)-(ExecuteQueue.Main,_,_)`` for the order.
  ///
  /// - Parameters:
  ///   - target: The object. It is held weakly; the first change after it is gone ends the observation.
  ///   - queue: `.main`.
  ///   - keyPath: The property.
  /// - Returns: The observation, to end it before its target.
  /// - Complexity: O(1).
  @MainActor
  @discardableResult
  public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ keyPath: ReferenceWritableKeyPath<Target, Element>
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Writes the current value, and then every change, to an optional property of an object on the
  /// main actor: the text of a label, say.
  ///
  /// - Parameters:
  ///   - target: The object. It is held weakly; the first change after it is gone ends the observation.
  ///   - queue: `.main`.
  ///   - keyPath: The property.
  /// - Returns: The observation, to end it before its target.
  /// - Complexity: O(1).
  @MainActor
  @discardableResult
  public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ keyPath: ReferenceWritableKeyPath<Target, Element?>
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Tells the current value, and then every change, together with an object, on the main actor.
  ///
  /// The closure is given the object, so that it need not capture it: neither strongly, which would
  /// keep it, nor weakly.
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
  ///   - target: The object. It is held weakly: once it is gone, no call starts any more, and the first
  ///     change ends the observation and frees the closure.
  ///   - queue: `.main`.
  ///   - changes: Called with the object and each value.
  /// - Returns: The observation, to end it before its target.
  /// - Complexity: O(1).
  @MainActor
  @discardableResult
  public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ changes: @escaping @MainActor @Sendable (Target, Element) -> Void
  ) -> Dust {
    Tether.observeOnMain(for: target, changes: changes) { observe(on: queue, changes: $0) }
  }
}

// MARK: - On any queue

extension PrimitiveValue {
  /// Writes the current value, and then every change, to a property of an object.
  ///
  /// - Parameters:
  ///   - target: The object. It is held weakly; the first change after it is gone ends the observation.
  ///   - queue: Where the property is written. Without it, that is the main actor.
  ///   - keyPath: The property.
  /// - Returns: The observation, to end it before its target.
  /// - Complexity: O(1).
  @_disfavoredOverload
  @discardableResult
  public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ keyPath: ReferenceWritableKeyPath<Target, Element> & Sendable
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Writes the current value, and then every change, to an optional property of an object.
  ///
  /// - Parameters:
  ///   - target: The object. It is held weakly; the first change after it is gone ends the observation.
  ///   - queue: Where the property is written. Without it, that is the main actor.
  ///   - keyPath: The property.
  /// - Returns: The observation, to end it before its target.
  /// - Complexity: O(1).
  @_disfavoredOverload
  @discardableResult
  public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ keyPath: ReferenceWritableKeyPath<Target, Element?> & Sendable
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Tells the current value, and then every change, together with an object.
  ///
  /// The same as ``observe(on:ignoreFirst:changes:)-(ExecuteQueue,_,_)``, with an end of its own.
  ///
  /// - Parameters:
  ///   - target: The object. It is held weakly: once it is gone, no call starts any more, and the first
  ///     change ends the observation and frees the closure.
  ///   - queue: Where `changes` is called. Without it, that is the main actor.
  ///   - changes: Called with the object and each value.
  /// - Returns: The observation, to end it before its target.
  /// - Complexity: O(1).
  @_disfavoredOverload
  @discardableResult
  public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ changes: @escaping @Sendable (Target, Element) -> Void
  ) -> Dust {
    Tether.observe(for: target, changes: changes) { observe(on: queue, changes: $0) }
  }
}
