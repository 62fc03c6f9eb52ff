#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// D1, D2, D3 and D5: reduces never overlap, and every observer sees reduces in the same order. A state
  /// that is invoked inside a reduce waits for the end of that reduce.
  struct DispatchInterleavings {
    @Test func reducesOfTwoThreadsDoNotOverlap() {
      explore { scenario in
        let log = Log<String>()
        let stores = (FirstStore.instantiate(), SecondStore.instantiate())
        for number in 1...2 {
          scenario.thread { Dispatcher.shared.dispatch(Step.log(number, in: log)) }
        }
        scenario.check {
          let (one, two) = (["first 1", "second 1"], ["first 2", "second 2"])
          #expect([one + two, two + one].contains(log.entries))
          withExtendedLifetime(stores) {}
        }
      }
    }

    @Test func observersOfAllVariablesOfAStoreReceiveReducesInTheSameOrder() {
      explore { scenario in
        let store = CounterStore.instantiate()
        let (reduced, counts, doubles) = (Log<Int>(), Log<Int>(), Log<Int>())
        let dusts = [
          store.count.observe(ignoreFirst: true) { counts.append($0) },
          store.doubled.observe(ignoreFirst: true) { doubles.append($0 / 2) },
        ]
        for number in 1...2 {
          scenario.thread { CounterAction().invoke(.set(number)) }
        }
        scenario.check {
          reduced.append(store.count.value)
          #expect([[1, 2], [2, 1]].contains(counts.entries))
          #expect(doubles.entries == counts.entries)
          #expect(counts.last == reduced.last)
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// One of the two threads delivers the last change before that thread's `invoke` returns. No third
    /// thread exists that could take over the delivery.
    @Test func invokeReturnsAfterItsStateIsDeliveredUnlessAnotherThreadIsDelivering() {
      explore { scenario in
        let store = CounterStore.instantiate()
        let log = Log<String>()
        let dust = store.count.observe(ignoreFirst: true) { log.append("told \($0)") }
        for number in 1...2 {
          scenario.thread {
            CounterAction().invoke(.add(number))
            log.append("returned \(number)")
          }
        }
        scenario.check {
          let entries = log.entries
          let logs = [
            // Each thread delivers its own change.
            ["told 1", "returned 1", "told 3", "returned 2"],
            ["told 2", "returned 2", "told 3", "returned 1"],
            ["told 1", "told 3", "returned 1", "returned 2"],
            ["told 1", "told 3", "returned 2", "returned 1"],
            ["told 2", "told 3", "returned 1", "returned 2"],
            ["told 2", "told 3", "returned 2", "returned 1"],
            // The thread that is delivering also delivers the second thread's change.
            ["told 1", "returned 2", "told 3", "returned 1"],
            ["told 2", "returned 1", "told 3", "returned 2"],
            ["returned 2", "told 1", "told 3", "returned 1"],
            ["returned 1", "told 2", "told 3", "returned 2"],
            // The thread that writes second delivers both changes.
            ["returned 1", "told 1", "told 3", "returned 2"],
            ["returned 2", "told 2", "told 3", "returned 1"],
          ]
          #expect(logs.contains(entries))
          #expect(store.count.value == 3)
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func stateInvokedInAReduceIsReducedAfterThatReduceAndBeforeTheOuterInvokeReturns() {
      explore { scenario in
        let log = Log<String>()
        let stores = (FirstStore.instantiate(), SecondStore.instantiate())
        scenario.thread {
          Dispatcher.shared.dispatch(
            Step.run { store in
              if let store = store as? FirstStore {
                Dispatcher.shared.dispatch(Step.log(3, in: log))
                store.number.value += 1
              }
              log.append("\(store.name) 1")
            }
          )
          log.append("returned")
        }
        scenario.thread { Dispatcher.shared.dispatch(Step.log(2, in: log)) }
        scenario.check {
          let (one, two) = (["first 1", "second 1"], ["first 2", "second 2"])
          let three = ["first 3", "second 3"]
          let end = ["returned"]
          let logs = [
            one + two + three + end,
            two + one + three + end,
            one + three + two + end,
            one + three + end + two,
            one + three + ["first 2"] + end + ["second 2"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime(stores) {}
        }
      }
    }

    @Test func stateInvokedByAnObserverIsReducedImmediatelyAndDeliveredAfterTheCurrentChange() {
      explore { scenario in
        let store = FirstStore.instantiate()
        let (reduced, first, second) = (Log<Int>(), Log<Int>(), Log<Int>())
        let add: @Sendable (Int) -> Void = { amount in
          Dispatcher.shared.dispatch(
            Step.run { _ in
              store.number.value += amount
              reduced.append(store.number.value)
            }
          )
        }
        let dusts = [
          store.number.observe(ignoreFirst: true) { number in
            first.append(number)
            if number % 10 == 1 { add(1) }
          },
          store.number.observe(ignoreFirst: true) { second.append($0) },
        ]
        scenario.thread { add(1) }
        scenario.thread { add(10) }
        scenario.check {
          let told = reduced.entries
          let orders = [
            [1, 2, 12], [1, 11, 12], [10, 11, 12], [1, 11, 12, 13], [10, 11, 12, 13],
          ]
          #expect(orders.contains(told))
          #expect(first.entries == told)
          #expect(second.entries == told)
          withExtendedLifetime((store, dusts)) {}
        }
      }
    }

    @Test func stateInvokedInAReduceIsReducedBeforeStatesThatObserversOfTheReduceInvoke() {
      explore { scenario in
        let log = Log<String>()
        let store = FirstStore.instantiate()
        let dust = store.number.observe(ignoreFirst: true) { _ in
          Dispatcher.shared.dispatch(Step.log(4, in: log))
        }
        scenario.thread {
          Dispatcher.shared.dispatch(
            Step.run { _ in
              Dispatcher.shared.dispatch(Step.log(3, in: log))
              store.number.value = 1
            }
          )
        }
        scenario.thread { Dispatcher.shared.dispatch(Step.log(2, in: log)) }
        scenario.check {
          let logs = [
            ["first 2", "first 3", "first 4"], ["first 3", "first 2", "first 4"],
            ["first 3", "first 4", "first 2"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime((store, dust)) {}
        }
      }
    }

    /// Before the dispatch, `FirstStore` has been registered and cleared. `CounterStore` has never been
    /// registered.
    @Test func dispatchOfAStateWithoutAStoreDoesNotWaitForATransactionOfAnotherThread() {
      var hasOverlapped = false
      explore { scenario in
        let log = Log<String>()
        FirstStore.instantiate().clear()
        scenario.thread {
          Dispatcher.shared.transaction {
            log.append("begin")
            log.append("end")
          }
        }
        scenario.thread {
          log.append("invoking")
          CounterAction().invoke(.add(1))
          Dispatcher.shared.dispatch(Step.run { _ in })
          log.append("invoked")
        }
        scenario.check {
          let entries = log.entries
          #expect(entries.filter { $0.hasPrefix("inv") } == ["invoking", "invoked"])
          #expect(entries.filter { !$0.hasPrefix("inv") } == ["begin", "end"])
          if entries == ["begin", "invoking", "invoked", "end"] { hasOverlapped = true }
        }
      }
      #expect(hasOverlapped)
    }

    @Test func stateReachesAStoreInstantiatedDuringItsDispatchAtMostOnce() {
      explore { scenario in
        let made = Log<CounterStore>()
        scenario.thread { made.append(.instantiate()) }
        scenario.thread {
          CounterAction().invoke(.add(1))
          CounterAction().invoke(.add(2))
        }
        scenario.check {
          let store = made.entries[0]
          #expect([0, 2, 3].contains(store.count.value))
          #expect(store.doubled.value == 2 * store.count.value)
        }
      }
    }

    /// The store is freed after its reduce and before any observer is called.
    @Test func writesInAStoresDeinitAreDeliveredAfterTheWritesOfItsReduce() {
      explore { scenario in
        let (reduced, ended) = (Variable(0), Variable(0))
        let log = Log<String>()
        let held = Log(EndingStore.instantiate())
        for store in held.entries { store.endings.append(AtEnd { ended.value = 1 }) }
        let dusts = [
          ended.observe(ignoreFirst: true) { _ in log.append("ended") },
          reduced.observe(ignoreFirst: true) { _ in log.append("reduced") },
        ]
        scenario.thread {
          let state = Step.run { _ in
            reduced.value = 1
            held.removeAll()
          }
          Dispatcher.shared.dispatch(state)
        }
        scenario.thread { _ = reduced.value }
        scenario.check {
          #expect(log.entries == ["reduced", "ended"])
          withExtendedLifetime(dusts) {}
        }
      }
    }
  }

  private final class EndingStore: StepStore {
    typealias DispatchStateType = Step

    let name = "ending"
    let endings = Log<AtEnd>()
  }
#endif
