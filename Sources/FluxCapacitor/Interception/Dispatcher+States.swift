// States as events: for what is no part of the data, such as to log, to navigate, to play a sound.

extension Dispatcher {
  /// Tells every state of a type that is dispatched from now on.
  ///
  /// - Every state that is dispatched later is told, once, also one that reaches no store. Of those that
  ///   other threads are dispatching just now, the first ones may be missed.
  /// - States are told in the order of their reduces, which is the same for every observer.
  /// - A state is told when its reduce or its ``transaction(_:)`` has ended, on `.current` after the
  ///   variables that were written by then, unless another thread is telling those just then.
  /// - Calls to one observer never overlap, and no lock is held during a call. It may read, write,
  ///   invoke, observe and clean anything. What it invokes is reduced at once, and told when the
  ///   observers of the present state have been told.
  /// - ``unregisterAll()`` leaves the observers alone.
  ///
  /// ```swift
  /// let dust = Dispatcher.shared.observe(Dispatcher.Counter.self) { state in
  ///   print("The counter was told: \(state)")
  /// }
  /// CounterAction().invoke(.reset)
  /// dust.clean()
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - queue: Where `states` is called.
  ///   - states: Called with each state. It is kept until the Dust is cleaned.
  /// - Returns: The observation. It goes on until its `clean()`, or until the dispatcher is gone; it
  ///   does not keep the dispatcher alive.
  /// - Complexity: O(1).
  @_disfavoredOverload
  public func observe<State: DispatchState>(
    _ type: State.Type,
    on queue: ExecuteQueue = .current,
    states: @escaping @Sendable (State) -> Void
  ) -> Dust {
    registry.channel(of: type).observe(on: queue, states)
  }

  /// Tells every state of a type that is dispatched from now on, on the main actor.
  ///
  /// The same as the other `observe`, with a closure that may use what is isolated to the main actor.
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - queue: `.main`.
  ///   - states: Called with each state. It is kept until the Dust is cleaned.
  /// - Returns: The observation. It goes on until its `clean()`, or until the dispatcher is gone; it
  ///   does not keep the dispatcher alive.
  /// - Complexity: O(1).
  public func observe<State: DispatchState>(
    _ type: State.Type,
    on queue: ExecuteQueue.Main,
    states: @escaping @MainActor @Sendable (State) -> Void
  ) -> Dust {
    observe(type, on: ExecuteQueue.main) { state in
      MainActor.assumeIsolated { states(state) }
    }
  }

  /// The states of a type that are dispatched from now on, for `for await`.
  ///
  /// - Any number of consumers may iterate over it. Each gets every state that is dispatched after
  ///   its iterator was made, once and in the order of the reduces, unless the policy says otherwise.
  /// - The consumer runs where its task does; no dispatch waits for it.
  /// - Cancelling the task that waits for the next state ends the observation at once, and the loop.
  ///   So does leaving the loop, which lets go of the iterator.
  /// - When the dispatcher is gone, the loop ends after the states that are in the buffer. The
  ///   sequence itself keeps the dispatcher; an iterator does not.
  ///
  /// ```swift
  /// let effects = Task {
  ///   for await state in Dispatcher.shared.states(of: Dispatcher.Counter.self) {
  ///     if case .reset = state { print("Back to the start.") }
  ///   }
  /// }
  /// effects.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - policy: What is kept for a slow consumer: everything unless told otherwise, for no effect
  ///     may be lost.
  /// - Returns: The sequence, which observes nothing before an iterator of it is made.
  public func states<State: DispatchState>(
    of type: State.Type,
    buffering policy: BufferingPolicy = .unbounded
  ) -> Values<State> {
    Values(buffering: policy) { changes in self.observe(type, states: changes) }
  }
}
