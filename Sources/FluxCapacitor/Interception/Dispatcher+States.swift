// An application observes states to run effects that change no data, such as logging, navigation and sounds.

extension Dispatcher {
  /// Calls a closure with every later state of a type.
  ///
  /// - An observer receives every later state once, even if the state reaches no store. If other threads are
  ///   dispatching during this call, the observer can miss their first states.
  /// - Every observer receives the states in the order of their reduces.
  /// - The observer is called after the reduce or, inside a ``transaction(_:)``, after the transaction. On
  ///   `.current`, the observers of the written variables are called first, unless another thread is
  ///   delivering changes of these variables.
  /// - Calls to one observer never overlap, and no lock is held during a call. The closure can read, write,
  ///   invoke, observe and clean anything.
  /// - If the closure invokes a state, the stores reduce the new state immediately. All observers of the
  ///   current state are called before any observer of the new state.
  /// - ``unregisterAll()`` doesn't affect observers of states.
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
  ///   - queue: The queue on which the observer is called.
  ///   - states: A closure that receives each state. The observation retains the closure until the Dust is
  ///     cleaned or the dispatcher is deallocated.
  /// - Returns: A Dust that ends the observation when you call `clean()`. The Dust doesn't keep the
  ///   dispatcher alive, and the observation ends when the dispatcher is deallocated.
  /// - Complexity: O(1).
  @_disfavoredOverload public func observe<State: DispatchState>(
    _ type: State.Type,
    on queue: ExecuteQueue = .current,
    states: @escaping @Sendable (State) -> Void
  ) -> Dust {
    registry.channel(of: type).observe(on: queue, in: .weakCurrent, states)
  }

  /// Calls a closure on the main actor with every later state of a type.
  ///
  /// The closure receives every later state once, in the order of the reduces, even if the state reaches no
  /// store. If other threads are dispatching during this call, the closure can miss their first states.
  ///
  /// If you dispatch a state on the main queue, the closure is called immediately after the reduce or the
  /// surrounding ``transaction(_:)``. If an earlier state is still waiting for the main queue, or if you
  /// dispatch on another thread, the closure is called later.
  ///
  /// <doc:Promises> lists the guarantees for all observers.
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - queue: The main queue, `.main`.
  ///   - states: A closure that receives each state. The observation retains the closure until the Dust is
  ///     cleaned or the dispatcher is deallocated.
  /// - Returns: A Dust that ends the observation when you call `clean()`. The Dust doesn't keep the
  ///   dispatcher alive, and the observation ends when the dispatcher is deallocated.
  /// - Complexity: O(1).
  public func observe<State: DispatchState>(
    _ type: State.Type,
    on queue: ExecuteQueue.Main,
    states: @escaping @MainActor @Sendable (State) -> Void
  ) -> Dust {
    signal(of: type).observe(on: queue, changes: states)
  }

  /// Returns an asynchronous sequence of the later states of a type.
  ///
  /// - Any number of consumers can iterate over the sequence. Each consumer receives every state that is
  ///   dispatched after the consumer's iterator was created. A consumer receives each state once, in the
  ///   order of the reduces, unless the policy discards states.
  /// - The consumer's task runs the loop, and no dispatch waits for a consumer.
  /// - If you cancel the task that waits for the next state, the observation and the loop end immediately.
  ///   If you leave the loop, the iterator is released, and the observation ends.
  /// - If the dispatcher is deallocated, the loop ends after the remaining states in the buffer. A sequence
  ///   keeps the dispatcher alive, but an iterator doesn't.
  ///
  /// ```swift
  /// var states = Dispatcher.shared.states(of: Dispatcher.Counter.self).makeAsyncIterator()
  /// CounterAction().increment()
  /// CounterAction().invoke(.reset)
  /// while let state = await states.next() {
  ///   print(state)  // add(1) and reset
  ///   if case .reset = state { break }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - policy: The rule for states that a slow consumer hasn't received yet. By default, the sequence keeps
  ///     all of these states.
  /// - Returns: The sequence, which observes no states until a consumer creates an iterator.
  public func states<State: DispatchState>(
    of type: State.Type,
    buffering policy: BufferingPolicy = .unbounded
  ) -> Values<State> {
    Values(buffering: policy) { changes in self.observe(type, states: changes) }
  }
}
