// An application observes states to run effects that change no data, such as logging, navigation and sounds.

extension Dispatcher {
  /// Calls a closure with every later state of a type.
  ///
  /// ```swift
  /// let dust = Dispatcher.shared.observe(Dispatcher.Counter.self) { state in
  ///   print("Dispatched: \(state)")
  /// }
  /// CounterAction().invoke(.reset)
  /// dust.clean()
  /// ```
  ///
  /// - The closure receives every later state once, in the order of the reduces, even if the state reaches no store. If
  ///   other threads are dispatching during this call, the closure can miss their first states.
  /// - The call comes after the reduce or, inside a ``transaction(_:)``, after the transaction. On `.current`, the
  ///   observers of the written variables are called first, unless another thread is delivering changes of these variables.
  /// - Calls to one observer never overlap, and no lock is held during a call. The closure can read, write, invoke, observe
  ///   and clean anything.
  /// - A state that the closure invokes is reduced immediately. All observers of the current state are called before any
  ///   observer of the new one.
  /// - ``unregisterAll()`` doesn't affect observers of states.
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - queue: The queue on which the closure is called.
  ///   - states: Receives each state. The observation retains this closure until the Dust is cleaned or the dispatcher is
  ///     deallocated.
  /// - Returns: A Dust that ends the observation when you clean it. It doesn't keep the dispatcher alive, and the
  ///   observation also ends when the dispatcher is deallocated.
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
  /// The closure receives every later state once, in the order of the reduces, even if the state reaches no store. If other
  /// threads are dispatching during this call, the closure can miss their first states.
  ///
  /// If you dispatch a state on the main queue, the closure is called immediately after the reduce or the surrounding
  /// ``transaction(_:)``. It is called later if you dispatch on another thread, or if an earlier state is still waiting for
  /// the main queue. <doc:Promises> lists the guarantees for all observers.
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - queue: The main queue, `.main`.
  ///   - states: Receives each state. The observation retains this closure until the Dust is cleaned or the dispatcher is
  ///     deallocated.
  /// - Returns: A Dust that ends the observation when you clean it. It doesn't keep the dispatcher alive, and the
  ///   observation also ends when the dispatcher is deallocated.
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
  /// - Any number of consumers can iterate over the sequence. Each receives the states that are dispatched after its
  ///   iterator was created, once and in the order of the reduces, unless the policy discards some.
  /// - A consumer runs on its task's executor. No dispatch waits for a consumer.
  /// - If you cancel the task while it waits for the next state, the loop and its observation end immediately. If you leave
  ///   the loop, its iterator is released, which ends the observation.
  /// - The sequence keeps the dispatcher alive, but an iterator doesn't. After the dispatcher is deallocated, the loop
  ///   receives the states in the buffer, and then ends.
  ///
  /// - Parameters:
  ///   - type: The type of the states.
  ///   - policy: Decides which states the sequence keeps for a slow consumer, by default all of them.
  /// - Returns: The sequence, which observes no states until a consumer creates an iterator.
  public func states<State: DispatchState>(
    of type: State.Type,
    buffering policy: BufferingPolicy = .unbounded
  ) -> Values<State> {
    Values(buffering: policy) { changes in self.observe(type, states: changes) }
  }
}
