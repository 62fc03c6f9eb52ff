#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B7: if a store calls `waitFor`, the awaited store reduces the state first, and only once.
  struct WaitForInterleavings {
    @Test func storeAwaitedWithWaitForReducesEachStateFirstAndOnce() {
      explore { scenario in
        let log = Log<String>()
        scenario.keep(FirstStore.instantiate(), SecondStore.instantiate())
        scenario.threads(1...2) { dispatch(waiting($0, in: log)) }
        scenario.check {
          let (one, two) = (["second 1", "first 1"], ["second 2", "first 2"])
          #expect([one + two, two + one].contains(log.entries))
        }
      }
    }

    /// The first reduce waits for the store, and the second reduce doesn't. The store must reduce the
    /// second state too.
    @Test func storeAwaitedWithWaitForInOneReduceAlsoReceivesTheNextState() {
      explore { scenario in
        let log = Log<String>()
        scenario.keep(FirstStore.instantiate(), SecondStore.instantiate())
        scenario.thread { dispatch(waiting(1, in: log)) }
        scenario.thread { dispatch(.log(2, in: log)) }
        scenario.check {
          let (one, two) = (["second 1", "first 1"], ["first 2", "second 2"])
          #expect([one + two, two + one].contains(log.entries))
        }
      }
    }

    @Test func awaitedStoreThatIsClearedDuringTheDispatchReducesFirstOrNotAtAll() {
      explore { scenario in
        let (log, second) = (Log<String>(), SecondStore.instantiate())
        _ = Dispatcher.shared.intercept { event in
          log.append(event.stores.map { "\($0)" }.joined(separator: " "))
        }
        scenario.keep(FirstStore.instantiate(), second)
        scenario.thread { dispatch(waiting(1, in: log)) }
        scenario.thread { second.clear() }
        scenario.check {
          let both = ["second 1", "first 1", "SecondStore FirstStore"]
          #expect([both, ["first 1", "FirstStore"]].contains(log.entries))
        }
      }
    }

    /// A reduce waits only for stores that were registered before that reduce began.
    @Test func awaitedStoreInstantiatedDuringTheDispatchReducesFirstOrNotAtAll() {
      explore { scenario in
        let (log, made) = (Log<String>(), Log<SecondStore>())
        scenario.keep(FirstStore.instantiate(), made)
        scenario.thread { dispatch(waiting(1, in: log)) }
        scenario.thread { made.append(.instantiate()) }
        scenario.check { #expect([["second 1", "first 1"], ["first 1"]].contains(log.entries)) }
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
#endif
