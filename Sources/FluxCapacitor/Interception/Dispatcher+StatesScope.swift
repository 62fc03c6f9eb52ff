extension Dispatcher {
  /// Calls a closure with every later state of a type, while an object exists.
  ///
  /// ```swift
  /// final class Logger: Sendable {
  ///   init() {
  ///     Dispatcher.shared.observe(Dispatcher.Counter.self, duringScopeOf: self) { state in
  ///       print("Dispatched: \(state)")
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// ``observe(_:on:states:)-(_,ExecuteQueue,_)`` describes the order of the calls and the guarantees.
  ///
  /// > Warning: Don't capture the object strongly in the closure. The closure would keep the object alive, so the
  /// observation wouldn't end by itself.
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - object: The object, which the observation holds weakly. After the object's deallocation, no call starts. The next
  ///     state, or a later observation of an object, ends the observation and releases the closure.
  ///   - queue: The queue on which `states` is called.
  ///   - states: A closure that receives each state.
  /// - Returns: The observation. To end it before the object is deallocated, clean the Dust.
  /// - Complexity: O(1).
  @_disfavoredOverload @discardableResult public func observe<State: DispatchState>(
    _ type: State.Type,
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue = .current,
    states: @escaping @Sendable (State) -> Void
  ) -> Dust {
    signal(of: type).observe(duringScopeOf: object, on: queue, changes: states)
  }

  /// Calls a closure on the main actor with every later state of a type, while a `Sendable` object exists.
  ///
  /// See ``observe(_:duringScopeOf:on:states:)-(_,_,ExecuteQueue,_)`` for the lifetime. Don't capture the object strongly
  /// in the closure.
  @discardableResult public func observe<State: DispatchState>(
    _ type: State.Type,
    duringScopeOf object: some AnyObject & Sendable,
    on queue: ExecuteQueue.Main,
    states: @escaping @MainActor @Sendable (State) -> Void
  ) -> Dust {
    signal(of: type).observe(duringScopeOf: object, on: queue, changes: states)
  }

  /// Calls a closure on the main actor with every later state of a type, while an object of the main actor exists.
  ///
  /// See ``observe(_:duringScopeOf:on:states:)-(_,_,ExecuteQueue,_)`` for the lifetime. Don't capture the object strongly
  /// in the closure.
  @MainActor @discardableResult public func observe<State: DispatchState>(
    _ type: State.Type,
    duringScopeOf object: some AnyObject,
    on queue: ExecuteQueue.Main,
    states: @escaping @MainActor @Sendable (State) -> Void
  ) -> Dust {
    signal(of: type).observe(duringScopeOf: object, on: queue, changes: states)
  }

  func signal<State: DispatchState>(of type: State.Type) -> Signal<State> {
    Signal { queue, states in self.observe(type, on: queue, states: states) }
  }
}
