extension PrimitiveValue {
  /// Calls a closure with the old value and the new value of every change, while an object exists.
  ///
  /// ```swift
  /// final class History: Sendable {
  ///   init(counter: Constant<Int>) {
  ///     counter.observeChanges(duringScopeOf: self) { old, new in print("\(old) → \(new)") }
  ///   }
  /// }
  /// ```
  ///
  /// ``observeChanges(on:changes:)-(ExecuteQueue,_)`` describes the order of the calls and the guarantees.
  ///
  /// > Warning: Don't capture the object strongly in the closure. The closure would keep the object alive, so the
  /// observation wouldn't end by itself.
  ///
  /// - Parameters:
  ///   - object: The object, which the observation holds weakly. After the object's deallocation, no call starts. The next
  ///     change, or a later observation of an object, ends the observation and releases the closure.
  ///   - queue: The queue on which `changes` is called.
  ///   - changes: Receives the old and the new value.
  /// - Returns: The observation. To end it before the object is deallocated, clean the Dust.
  /// - Complexity: O(1). For a derived constant without observers, O(k · n) if it derives from k variables through n
  ///   constants.
  @_disfavoredOverload @discardableResult public func observeChanges(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue = .current,
    changes: @escaping @Sendable (_ old: Element, _ new: Element) -> Void
  ) -> Dust {
    pairs.observe(duringScopeOf: object, on: queue) { changes($0.0, $0.1) }
  }

  /// Calls a closure on the main actor with the old and the new value of every change, while a `Sendable` object exists.
  ///
  /// See ``observeChanges(duringScopeOf:on:changes:)-(_,ExecuteQueue,_)`` for the lifetime. Don't capture the object
  /// strongly in the closure.
  @discardableResult public func observeChanges(
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (_ old: Element, _ new: Element) -> Void
  ) -> Dust {
    pairs.observe(duringScopeOf: object, on: queue) { changes($0.0, $0.1) }
  }

  /// Calls a closure on the main actor with the old and the new value of every change, while an object of the main actor
  /// exists.
  ///
  /// See ``observeChanges(duringScopeOf:on:changes:)-(_,ExecuteQueue,_)`` for the lifetime. Don't capture the object
  /// strongly in the closure.
  @MainActor @discardableResult public func observeChanges(
    duringScopeOf object: some AnyObject,
    on queue: ExecuteQueue.Main,
    changes: @escaping @MainActor @Sendable (_ old: Element, _ new: Element) -> Void
  ) -> Dust {
    pairs.observe(duringScopeOf: object, on: queue) { changes($0.0, $0.1) }
  }

  private var pairs: Signal<(Element, Element)> {
    Signal { queue, changes in self.observeChanges(on: queue) { changes(($0, $1)) } }
  }
}
