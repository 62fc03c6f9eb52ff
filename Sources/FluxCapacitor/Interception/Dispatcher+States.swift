// States as events, for effects that are not part of the data: logging, navigation, sounds.

extension Dispatcher {
  /// Calls a closure with every state of a type that is dispatched from now on.
  ///
  /// - Every state that is dispatched later is delivered once, even if it reaches no store. If other
  ///   threads are dispatching at the time of this call, the observer may miss their first states.
  /// - Every observer receives the states in the order of their reduces.
  /// - A state is delivered after its reduce or its ``transaction(_:)``. On `.current`, it comes after the
  ///   variables that were written by then, unless another thread is delivering those at that moment.
  /// - Calls to one observer never overlap, and no lock is held during a call. The closure may read, write,
  ///   invoke, observe and clean anything. A state that it invokes is reduced immediately. It is delivered
  ///   after the observers of the current state have been called.
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
  ///   - queue: The queue on which `states` is called.
  ///   - states: A closure that receives each state. It is retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until you call `clean()` or the dispatcher is deallocated. It
  ///   doesn't keep the dispatcher alive.
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
  /// The closure is isolated to the main actor. It receives every state once, in the order of the reduces,
  /// even if the state reaches no store. If other threads are dispatching at the time of this call, the
  /// closure may miss their first states.
  ///
  /// The call comes right after the reduce or its ``transaction(_:)`` if the state is dispatched on the main
  /// queue. It comes later if an earlier state is still on its way there, or if another thread dispatches.
  ///
  /// <doc:Concurrency> lists the guarantees for all observers.
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - queue: `.main`.
  ///   - states: A closure that receives each state. It is retained until the Dust is cleaned.
  /// - Returns: The observation. It lasts until you call `clean()` or the dispatcher is deallocated. It
  ///   doesn't keep the dispatcher alive.
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

  /// Returns an asynchronous sequence of the states of a type that are dispatched from now on.
  ///
  /// - Any number of consumers may iterate over the sequence. Each consumer receives every state that is
  ///   dispatched after its iterator was created. The states arrive once and in the order of the reduces,
  ///   unless the policy discards them.
  /// - A consumer runs where its task runs. No dispatch waits for it.
  /// - If you cancel the task that waits for the next state, the observation and the loop end immediately.
  ///   They also end if you leave the loop, which releases the iterator.
  /// - When the dispatcher is deallocated, the loop ends after the states in the buffer. The sequence
  ///   itself keeps the dispatcher alive, but an iterator doesn't.
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
  ///   - policy: The rule for a slow consumer. By default, the sequence keeps every state, so that no
  ///     effect is lost.
  /// - Returns: The sequence. It observes nothing until an iterator is created.
  public func states<State: DispatchState>(
    of type: State.Type,
    buffering policy: BufferingPolicy = .unbounded
  ) -> Values<State> {
    Values(buffering: policy) { changes in self.observe(type, states: changes) }
  }
}
