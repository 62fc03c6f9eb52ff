// Each form of `bind` has an overload for an optional property, such as the text of a label, because a key path
// to an optional property doesn't convert to a key path to a property of the element's type.

// MARK: - On the main actor

extension ObservationSource {
  /// Writes the current value, if there is one, and then every change or event, to a property of an object.
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
  /// The property is written on the main actor. A change from the main queue is written immediately, unless an earlier
  /// change is still on its way to the main queue.
  ///
  /// See ``observe(duringScopeOf:on:ignoreFirst:changes:)-(_,ExecuteQueue,_,_)`` for the lifetime.
  @MainActor @discardableResult public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ keyPath: ReferenceWritableKeyPath<Target, Element>
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Writes each value or event to an optional property of an object on the main actor.
  ///
  /// See ``observe(duringScopeOf:on:ignoreFirst:changes:)-(_,ExecuteQueue,_,_)`` for the lifetime.
  @MainActor @discardableResult public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ keyPath: ReferenceWritableKeyPath<Target, Element?>
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Calls a closure on the main actor with an object and the current value, if there is one, and then each change or
  /// event.
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
  /// The closure receives the object as an argument, so it doesn't have to capture the object. A strong capture would keep
  /// the object alive, and a weak one is unnecessary.
  ///
  /// - Parameters:
  ///   - target: The object, which the observation holds weakly. After the object's deallocation, no call starts. The next
  ///     change, or a later observation of an object, ends the observation and releases the closure.
  ///   - queue: `.main`.
  ///   - changes: The closure to call with the object and each value or event.
  /// - Returns: The observation. To end it before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, O(k · n) if it derives from k variables through n
  ///   constants.
  @MainActor @discardableResult public func bind<Target: AnyObject>(
    to target: Target,
    on queue: ExecuteQueue.Main = .main,
    _ changes: @escaping @MainActor @Sendable (Target, Element) -> Void
  ) -> Dust {
    observe(duringScopeOf: target, on: queue) { [weak target] value in
      if let target { changes(target, value) }
    }
  }
}

// MARK: - On any queue

extension ObservationSource {
  /// Writes each value or event to a property of an object, on a queue that you choose.
  ///
  /// See ``observe(duringScopeOf:on:ignoreFirst:changes:)-(_,ExecuteQueue,_,_)`` for the lifetime.
  @_disfavoredOverload @discardableResult public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ keyPath: ReferenceWritableKeyPath<Target, Element> & Sendable
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Writes each value or event to an optional property of an object, on a queue that you choose.
  ///
  /// See ``observe(duringScopeOf:on:ignoreFirst:changes:)-(_,ExecuteQueue,_,_)`` for the lifetime.
  @_disfavoredOverload @discardableResult public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ keyPath: ReferenceWritableKeyPath<Target, Element?> & Sendable
  ) -> Dust {
    bind(to: target, on: queue) { target, value in target[keyPath: keyPath] = value }
  }

  /// Calls a closure with an object and each value or event, on a queue that you choose.
  ///
  /// See ``observe(duringScopeOf:on:ignoreFirst:changes:)-(_,ExecuteQueue,_,_)`` for the lifetime. Don't capture the
  /// object strongly in the closure.
  ///
  /// <doc:Promises> describes the threads, the order of the calls, and the calls that wait.
  @_disfavoredOverload @discardableResult public func bind<Target: AnyObject & Sendable>(
    to target: Target,
    on queue: ExecuteQueue,
    _ changes: @escaping @Sendable (Target, Element) -> Void
  ) -> Dust {
    observe(duringScopeOf: target, on: queue) { [weak target] value in
      if let target { changes(target, value) }
    }
  }
}
