#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B7: if a store calls `waitFor`, the awaited store reduces the state first, and only once.
  struct WaitForInterleavings {
    @Test func storeAwaitedWithWaitForReducesEachStateFirstAndOnce() {
      explore { scenario in
        let log = Log<String>()
        let stores = (FirstStore.instantiate(), SecondStore.instantiate())
        for number in 1...2 {
          scenario.thread { Dispatcher.shared.dispatch(waiting(number, in: log)) }
        }
        scenario.check {
          let (one, two) = (["second 1", "first 1"], ["second 2", "first 2"])
          #expect([one + two, two + one].contains(log.entries))
          withExtendedLifetime(stores) {}
        }
      }
    }

    /// The first reduce waits for the store, and the second reduce doesn't. The store must reduce the
    /// second state too.
    @Test func storeAwaitedWithWaitForInOneReduceAlsoReceivesTheNextState() {
      explore { scenario in
        let log = Log<String>()
        let stores = (FirstStore.instantiate(), SecondStore.instantiate())
        scenario.thread { Dispatcher.shared.dispatch(waiting(1, in: log)) }
        scenario.thread { Dispatcher.shared.dispatch(Step.log(2, in: log)) }
        scenario.check {
          let (one, two) = (["second 1", "first 1"], ["first 2", "second 2"])
          #expect([one + two, two + one].contains(log.entries))
          withExtendedLifetime(stores) {}
        }
      }
    }

    @Test func awaitedStoreThatIsClearedDuringTheDispatchReducesFirstOrNotAtAll() {
      explore { scenario in
        let log = Log<String>()
        let (first, second) = (FirstStore.instantiate(), SecondStore.instantiate())
        let dust = Dispatcher.shared.intercept { event in
          log.append(event.stores.map { "\($0)" }.joined(separator: " "))
        }
        scenario.thread { Dispatcher.shared.dispatch(waiting(1, in: log)) }
        scenario.thread { second.clear() }
        scenario.check {
          let logs = [
            ["second 1", "first 1", "SecondStore FirstStore"],
            ["first 1", "FirstStore"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime((first, second, dust)) {}
        }
      }
    }

    @Test func waitForIgnoresAStoreThatWasClearedInTheSameReduce() {
      explore { scenario in
        let log = Log<String>()
        let (first, second) = (FirstStore.instantiate(), SecondStore.instantiate())
        scenario.thread {
          Dispatcher.shared.dispatch(
            Step.run { store in
              second.clear()
              store.wait(for: SecondStore.self)
              log.append("\(store.name) 1")
            }
          )
        }
        scenario.thread { Dispatcher.shared.dispatch(waiting(2, in: log)) }
        scenario.check {
          let logs = [["first 1", "first 2"], ["second 2", "first 2", "first 1"]]
          #expect(logs.contains(log.entries))
          withExtendedLifetime(first) {}
        }
      }
    }

    /// A reduce waits only for stores that were registered before that reduce began.
    @Test func awaitedStoreInstantiatedDuringTheDispatchReducesFirstOrNotAtAll() {
      explore { scenario in
        let log = Log<String>()
        let first = FirstStore.instantiate()
        let made = Log<SecondStore>()
        scenario.thread { Dispatcher.shared.dispatch(waiting(1, in: log)) }
        scenario.thread { made.append(.instantiate()) }
        scenario.check {
          #expect([["second 1", "first 1"], ["first 1"]].contains(log.entries))
          withExtendedLifetime((first, made)) {}
        }
      }
    }

    @Test func awaitedStoreReleasedDuringTheDispatchIsFreedAfterItsReduce() {
      explore(isReduced: false) { scenario in
        let log = Log<String>()
        let first = FirstStore.instantiate()
        let second = EndingStore.instantiate()
        second.log = log
        let held = Log(second)
        scenario.thread {
          Dispatcher.shared.dispatch(
            Step.run { store in
              (store as? FirstStore)?.waitFor(EndingStore.self)
              log.append("\(store.name) 1")
            }
          )
        }
        scenario.thread { held.removeAll() }
        scenario.check {
          let logs = [
            ["ending 1", "first 1", "deinit"],
            ["first 1", "deinit"],
            ["deinit", "first 1"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime(first) {}
        }
      }
    }
  }

  /// Returns a state that makes each store append its name and a number to a log. The reduce of the first
  /// store waits for the second store.
  private func waiting(_ number: Int, in log: Log<String>) -> Step {
    .run { store in
      (store as? FirstStore)?.waitFor(SecondStore.self)
      log.append("\(store.name) \(number)")
    }
  }

  private final class EndingStore: StepStore, @unchecked Sendable {
    typealias DispatchStateType = Step

    let name = "ending"
    var log: Log<String>?

    deinit { log?.append("deinit") }
  }
#endif
