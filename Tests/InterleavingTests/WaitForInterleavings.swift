#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B7: if a store calls `waitFor`, the awaited store reduces the state first, and only once.
  struct WaitForInterleavings {
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
