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

    @Test func stateWithoutAStoreIsDeliveredOnceToItsObserver() {
      explore { scenario in
        let log = Log<Int>()
        scenario.thread { for number in 1...2 { CounterAction().invoke(.set(number)) } }
        scenario.thread { observeStates(in: log) }
        scenario.check { #expect([[], [2], [1, 2]].contains(log.entries)) }
      }
    }

    private func observeStates(in log: Log<Int>) {
      _ = Dispatcher.shared.observe(Dispatcher.Counter.self) { log.append($0.number) }
    }
  }
#endif
