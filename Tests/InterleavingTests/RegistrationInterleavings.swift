#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// R3 and R4: a state reaches every registered store, in the order of registration. `clear()` unregisters
  /// only the store that `clear()` is called on.
  struct RegistrationInterleavings {
    @Test func statesReachTheStoresInTheOrderOfRegistration() {
      explore { scenario in
        let (log, stores) = (Log<String>(), Log<any StepStore>())
        scenario.thread { stores.append(FirstStore.instantiate()) }
        scenario.thread { stores.append(SecondStore.instantiate()) }
        scenario.keep(stores)
        scenario.check {
          for number in 1...2 { dispatch(.log(number, in: log)) }
          let logs = [
            ["first 1", "second 1", "first 2", "second 2"],
            ["second 1", "first 1", "second 2", "first 2"],
          ]
          #expect(logs.contains(log.entries))
        }
      }
    }

    @Test func instantiateNeverReturnsAClearedStoreThatHasMissedAState() {
      for clear in clearings {
        explore { scenario in
          let log = Log<String>()
          let (old, got) = (SecondStore.instantiate(), Log<SecondStore>())
          scenario.thread { clear(old) }
          scenario.thread {
            dispatch(.log(1, in: log))
            got.append(.instantiate())
          }
          scenario.check { #expect(got.entries[0] !== old || log.entries == ["second 1"]) }
        }
      }
    }

    private let clearings: [@Sendable (SecondStore) -> Void] = [
      { _ in Dispatcher.shared.unregisterAll() }, { $0.clear() },
    ]
  }
#endif
