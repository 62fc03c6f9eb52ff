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
  /// A change from the main queue is written immediately, unless an earlier change is still on its way to
  /// the main queue. ``observe(on:ignoreFirst:changes:)-(ExecuteQueue.Main,_,_)`` describes the order of
  /// the writes.
  ///
  /// - Parameters:
  ///   - target: The object. The observation holds the object weakly. The first change after the object's
  ///     deallocation ends the observation.
  ///   - queue: `.main`.
  ///   - keyPath: The property.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, the complexity is O(n), where n counts
  ///   all constants and variables upstream.
  @MainActor @discardableResult public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ keyPath: ReferenceWritableKeyPath<Target, Element>
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Writes the current value, and then every change, to an optional property of an object on the main actor.
  ///
  /// Use this overload for an optional property, such as the text of a label.
  ///
  /// - Parameters:
  ///   - target: The object. The observation holds the object weakly. The first change after the object's
  ///     deallocation ends the observation.
  ///   - queue: `.main`.
  ///   - keyPath: The property.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, the complexity is O(n), where n counts
  ///   all constants and variables upstream.
  @MainActor @discardableResult public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ keyPath: ReferenceWritableKeyPath<Target, Element?>
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Calls a closure on the main actor with an object and each value, starting with the current value.
  ///
  /// The closure receives the object as an argument, so the closure doesn't have to capture the object. A
  /// strong capture would keep the object alive, and a weak capture is unnecessary.
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
  ///   - target: The object. The observation holds the object weakly. After the object's deallocation, no
  ///     call starts. The first change after the deallocation ends the observation and releases the
  ///     closure.
  ///   - queue: `.main`.
  ///   - changes: The closure to call with the object and each value.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, the complexity is O(n), where n counts
  ///   all constants and variables upstream.
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
  ///   - target: The object. The observation holds the object weakly. The first change after the object's
  ///     deallocation ends the observation.
  ///   - queue: The queue on which the property is written. If you omit this argument, the property is
  ///     written on the main actor.
  ///   - keyPath: The property.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, the complexity is O(n), where n counts
  ///   all constants and variables upstream.
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
  ///   - target: The object. The observation holds the object weakly. The first change after the object's
  ///     deallocation ends the observation.
  ///   - queue: The queue on which the property is written. If you omit this argument, the property is
  ///     written on the main actor.
  ///   - keyPath: The property.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, the complexity is O(n), where n counts
  ///   all constants and variables upstream.
  @_disfavoredOverload @discardableResult public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ keyPath: ReferenceWritableKeyPath<Target, Element?> & Sendable
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Calls a closure with an object and each value, starting with the current value.
  ///
  /// <doc:Concurrency> describes the threads, the order of the calls, and the calls that wait.
  ///
  /// - Parameters:
  ///   - target: The object. The observation holds the object weakly. After the object's deallocation, no
  ///     call starts. The first change after the deallocation ends the observation and releases the
  ///     closure.
  ///   - queue: The queue on which `changes` is called. If you omit this argument, `changes` is called on
  ///     the main actor.
  ///   - changes: The closure to call with the object and each value.
  /// - Returns: The observation. To end the observation before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, the complexity is O(n), where n counts
  ///   all constants and variables upstream.
  @_disfavoredOverload @discardableResult public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ changes: @escaping @Sendable (Target, Element) -> Void
  ) -> Dust {
    ScopedObservation.observe(for: target, changes: changes) { observe(on: queue, changes: $0) }
  }
}
