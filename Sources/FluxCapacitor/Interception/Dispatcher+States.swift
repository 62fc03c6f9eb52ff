// States as events, for effects that are not part of the data: logging, navigation, sounds.

extension Dispatcher {
  /// Calls a closure with every state of a type that is dispatched from now on.
  ///
  /// - Every state that is dispatched later is delivered once, even if it reaches no store. Of the
  ///   states that other threads are dispatching at the time of this call, the first ones may be
  ///   missed.
  /// - States are delivered in the order of their reduces, which is the same for every observer.
  /// - A state is delivered when its reduce or its ``transaction(_:)`` has ended, on `.current`
  ///   after the variables that were written by then, unless another thread is delivering those at
  ///   that moment.
  /// - Calls to one observer never overlap, and no lock is held during a call. The closure may
  ///   read, write, invoke, observe and clean anything. What it invokes is reduced immediately, and
  ///   delivered after the observers of the current state have been called.
  /// - ``unregisterAll()`` doesn't affect observers.
  ///
  /// ```swift
  /// let dust = Dispatcher.shared.observe(Dispatcher.Counter.self) { state in
  ///   print("Dispatched: \(state)")
  /// }
  /// CounterAction().invoke(.reset)
  /// dust.clean()
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - queue: Where `states` is called.
  ///   - states: Called with each state, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called or the dispatcher is
  ///   deallocated; it doesn't keep the dispatcher alive.
  /// - Complexity: O(1).
  @_disfavoredOverload public func observe<State: DispatchState>(
    _ type: State.Type,
    on queue: ExecuteQueue = .current,
    states: @escaping @Sendable (State) -> Void
  ) -> Dust {
    registry.channel(of: type).observe(on: queue, states)
  }

  /// Calls a closure on the main actor with every state of a type that is dispatched from now on.
  ///
  /// It is the same as the other `observe`, with a closure that is isolated to the main actor.
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - queue: `.main`.
  ///   - states: Called with each state, and retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until its `clean()` is called or the dispatcher is
  ///   deallocated; it doesn't keep the dispatcher alive.
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

  /// Returns the states of a type that are dispatched from now on, as an asynchronous sequence.
  ///
  /// - Any number of consumers may iterate over it. Each gets every state that is dispatched after
  ///   its iterator was created, once and in the order of the reduces, unless the policy says
  ///   otherwise.
  /// - A consumer runs where its task runs; no dispatch waits for it.
  /// - Cancelling the task that waits for the next state ends the observation, and the loop,
  ///   immediately. So does leaving the loop, which releases the iterator.
  /// - When the dispatcher is deallocated, the loop ends after the states that are in the buffer.
  ///   The sequence itself keeps the dispatcher alive; an iterator doesn't.
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
  ///   - policy: What to keep for a slow consumer: by default everything, so that no effect is
  ///     lost.
  /// - Returns: The sequence. It observes nothing until an iterator is created.
  public func states<State: DispatchState>(
    of type: State.Type,
    buffering policy: BufferingPolicy = .unbounded
  ) -> Values<State> {
    Values(buffering: policy) { changes in self.observe(type, states: changes) }
  }
}
