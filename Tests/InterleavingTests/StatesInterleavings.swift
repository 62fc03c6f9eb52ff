#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B4: `dispatcher.observe(State.self)` delivers every state that is dispatched after the subscription,
  /// in the order of the reduces.
  struct StatesInterleavings {
    @Test func observersOfStatesReceiveEachStateInTheOrderOfTheReduces() {
      explore { scenario in
        let (reduced, first, second) = (Log<Int>(), Log<Int>(), Log<Int>())
        let store = NumberStore.instantiate()
        let dusts = [
          Dispatcher.shared.observe(NumberState.self) { first.append($0.number) },
          Dispatcher.shared.observe(NumberState.self) { second.append($0.number) },
        ]
        for number in 1...2 {
          scenario.thread { Dispatcher.shared.dispatch(NumberState(number, reduced)) }
        }
        scenario.check {
          #expect([[1, 2], [2, 1]].contains(reduced.entries))
          #expect(first.entries == reduced.entries)
          #expect(second.entries == reduced.entries)
          withExtendedLifetime((store, dusts)) {}
        }
      }
    }

    /// The observer can miss states that are dispatched before its first state. After the first state, the
    /// observer misses no state.
    @Test func observerThatSubscribesToStatesDuringDispatchesReceivesEveryLaterState() {
      explore { scenario in
        let (reduced, told) = (Log<Int>(), Log<Int>())
        let store = NumberStore.instantiate()
        let dusts = Log<Dust>()
        scenario.thread {
          for number in 1...2 { Dispatcher.shared.dispatch(NumberState(number, reduced)) }
        }
        scenario.thread {
          dusts.append(Dispatcher.shared.observe(NumberState.self) { told.append($0.number) })
          Dispatcher.shared.dispatch(NumberState(3, reduced))
        }
        scenario.check {
          let (order, seen) = (reduced.entries, told.entries)
          #expect([[1, 2, 3], [1, 3, 2], [3, 1, 2]].contains(order))
          #expect(seen.contains(3))
          #expect(seen == order.suffix(seen.count))
          withExtendedLifetime(store) {}
        }
      }
    }

    @Test func stateWithoutAStoreIsDeliveredOnceToItsObserver() {
      explore { scenario in
        let told = Log<Int>()
        let unused = Log<Int>()
        let dusts = Log<Dust>()
        scenario.thread {
          for number in 1...2 { Dispatcher.shared.dispatch(NumberState(number, unused)) }
        }
        scenario.thread {
          dusts.append(Dispatcher.shared.observe(NumberState.self) { told.append($0.number) })
        }
        scenario.check { #expect([[], [2], [1, 2]].contains(told.entries)) }
      }
    }

    @Test func stateWithoutAStoreIsDeliveredToObserversAfterItsTransactionEnds() {
      explore { scenario in
        let log = Log<String>()
        let unused = Log<Int>()
        let dust = Dispatcher.shared.observe(NumberState.self) { log.append("state \($0.number)") }
        scenario.thread {
          Dispatcher.shared.transaction {
            Dispatcher.shared.dispatch(NumberState(1, unused))
            log.append("end")
          }
        }
        scenario.thread { Dispatcher.shared.dispatch(NumberState(2, unused)) }
        scenario.check {
          let logs = [
            ["end", "state 1", "state 2"], ["end", "state 2", "state 1"],
            ["state 2", "end", "state 1"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func observerOfStatesIsNotCalledAfterCleanReturns() {
      explore(isReduced: false) { scenario in
        let unused = Log<Int>()
        let (isCleaned, isLate) = (Flag(), Flag())
        let dust = Dispatcher.shared.observe(NumberState.self) { _ in
          if isCleaned.isSet { isLate.set() }
        }
        scenario.thread { Dispatcher.shared.dispatch(NumberState(1, unused)) }
        scenario.thread {
          dust.clean()
          isCleaned.set()
        }
        scenario.check { #expect(!isLate.isSet) }
      }
    }

    /// A state is delivered after the variables that were written earlier, unless another thread is
    /// delivering those variables.
    @Test func statesDispatchedInATransactionAreDeliveredToObserversAfterTheTransaction() {
      explore { scenario in
        let log = Log<String>()
        let unused = Log<Int>()
        let store = NumberStore.instantiate()
        let dusts = [
          store.number.observe(ignoreFirst: true) { log.append("value \($0)") },
          Dispatcher.shared.observe(NumberState.self) { log.append("state \($0.number)") },
        ]
        scenario.thread {
          Dispatcher.shared.transaction {
            for number in 1...2 { Dispatcher.shared.dispatch(NumberState(number, unused)) }
            log.append("end")
          }
        }
        scenario.thread { store.number.value = 5 }
        scenario.check {
          let own = log.entries.filter { $0 != "value 5" }
          let values = log.entries.filter { $0.hasPrefix("value") }
          // If a thread writes 5 during the transaction, one of the two values replaces the other one.
          let both = ["value 2", "value 5"]
          #expect([both, both.reversed(), ["value 5"], ["value 2"]].contains(values))
          #expect(own.first == "end")
          #expect(own.filter { $0 != "value 2" } == ["end", "state 1", "state 2"])
          withExtendedLifetime((store, dusts)) {}
        }
      }
    }
  }

  /// A state that adds its number to a log when a store reduces the state.
  private struct NumberState: DispatchState {
    typealias RelatedStoreType = NumberStore
    typealias RelatedActionType = NumberAction

    let number: Int
    let reduced: Log<Int>

    init(_ number: Int, _ reduced: Log<Int>) {
      self.number = number
      self.reduced = reduced
    }
  }

  private struct NumberAction: Actionable {
    typealias DispatchStateType = NumberState
  }

  private final class NumberStore: Storable {
    let number = Variable(0)

    func reduce(with state: NumberState) {
      number.value = state.number
      state.reduced.append(state.number)
    }
  }
#endif
