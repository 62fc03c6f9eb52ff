#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B4: `dispatcher.observe(State.self)` delivers every state that is dispatched after the subscription,
  /// in the order of the reduces.
  struct StatesInterleavings {
    @Test func observersOfStatesReceiveEachStateInTheOrderOfTheReduces() {
      explore { scenario in
        let (store, first, second) = (LogStore.instantiate(), Log<Int>(), Log<Int>())
        for log in [first, second] { observeStates(in: log) }
        scenario.threads(1...2) { CounterAction().invoke(.set($0)) }
        scenario.check {
          #expect([[1, 2], [2, 1]].contains(store.log.entries))
          #expect(first.entries == store.log.entries)
          #expect(second.entries == store.log.entries)
        }
      }
    }

    /// The observer can miss states that are dispatched before its first state. After the first state, the
    /// observer misses no state.
    @Test func observerThatSubscribesToStatesDuringDispatchesReceivesEveryLaterState() {
      explore { scenario in
        let (store, log) = (LogStore.instantiate(), Log<Int>())
        scenario.thread { for number in 1...2 { CounterAction().invoke(.set(number)) } }
        scenario.thread {
          observeStates(in: log)
          CounterAction().invoke(.set(3))
        }
        scenario.check {
          let (order, seen) = (store.log.entries, log.entries)
          #expect([[1, 2, 3], [1, 3, 2], [3, 1, 2]].contains(order))
          #expect(seen.contains(3))
          #expect(seen == order.suffix(seen.count))
        }
      }
    }

    @Test func stateWithoutAStoreIsDeliveredOnceToItsObserver() {
      explore { scenario in
        let log = Log<Int>()
        scenario.thread { for number in 1...2 { CounterAction().invoke(.set(number)) } }
        scenario.thread { observeStates(in: log) }
        scenario.check { #expect([[], [2], [1, 2]].contains(log.entries)) }
      }
    }

    @Test func observerOfStatesIsNotCalledAfterCleanReturns() {
      explore(isReduced: false) { scenario in
        let lateCall = LateCall()
        let dust = Dispatcher.shared.observe(Dispatcher.Counter.self) { _ in lateCall.note() }
        scenario.thread { CounterAction().invoke(.set(1)) }
        scenario.thread { lateCall.watch(after: dust.clean) }
        scenario.check { #expect(!lateCall.hasHappened) }
      }
    }

    /// A state is delivered after the variables that were written earlier, unless another thread is
    /// delivering those variables.
    @Test func statesDispatchedInATransactionAreDeliveredToObserversAfterTheTransaction() {
      explore { scenario in
        let (variable, log) = (Variable(0), Log<Int>())
        _ = variable.observe(ignoreFirst: true) { log.append($0) }
        observeStates(in: log)
        scenario.transaction {
          for number in 1...2 {
            variable.value = number * 10
            CounterAction().invoke(.set(number))
          }
          log.append(0)
        }
        scenario.thread { variable.value = 50 }
        scenario.check {
          // If a thread writes 50 during the transaction, one of the two values replaces the other one.
          let values = log.entries.filter { $0 >= 10 }
          #expect([[20, 50], [50, 20], [50], [20]].contains(values))
          #expect(log.entries.filter { $0 != 50 }.first == 0)
          #expect(log.entries.filter { $0 < 10 } == [0, 1, 2])
        }
      }
    }

    private func observeStates(in log: Log<Int>) {
      _ = Dispatcher.shared.observe(Dispatcher.Counter.self) { log.append($0.number) }
    }
  }
#endif
