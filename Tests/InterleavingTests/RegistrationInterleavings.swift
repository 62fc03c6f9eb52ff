#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// R3 and R4: a state reaches every registered store, in the order of registration. `clear()` unregisters
  /// only the store that `clear()` is called on.
  struct RegistrationInterleavings {
    @Test func statesReachTheStoresInTheOrderOfRegistration() {
      explore { scenario in
        let log = Log<String>()
        let stores = Log<any StepStore>()
        scenario.thread { stores.append(FirstStore.instantiate()) }
        scenario.thread { stores.append(SecondStore.instantiate()) }
        scenario.check {
          for number in 1...2 { Dispatcher.shared.dispatch(Step.log(number, in: log)) }
          let logs = [
            ["first 1", "second 1", "first 2", "second 2"],
            ["second 1", "first 1", "second 2", "first 2"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime(stores) {}
        }
      }
    }

    @Test func stateReachesEveryStoreRegisteredBeforeItsDispatch() {
      explore { scenario in
        let log = Log<String>()
        let stores = Log<any StepStore>()
        scenario.thread {
          stores.append(FirstStore.instantiate())
          stores.append(SecondStore.instantiate())
          Dispatcher.shared.dispatch(Step.log(2, in: log))
        }
        scenario.thread { Dispatcher.shared.dispatch(Step.log(1, in: log)) }
        scenario.check {
          let last = ["first 2", "second 2"]
          let logs = [
            last,
            ["first 1"] + last,
            ["first 1", "second 1"] + last,
            last + ["first 1", "second 1"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime(stores) {}
        }
      }
    }

    @Test func storeInstantiatedInAReduceReceivesTheNextState() {
      explore { scenario in
        let log = Log<String>()
        let first = FirstStore.instantiate()
        let made = Log<SecondStore>()
        scenario.thread {
          Dispatcher.shared.dispatch(
            Step.run { store in
              log.append("\(store.name) 1")
              made.append(SecondStore.instantiate())
            }
          )
        }
        scenario.thread { Dispatcher.shared.dispatch(Step.log(2, in: log)) }
        scenario.check {
          let logs = [["first 1", "first 2", "second 2"], ["first 2", "first 1"]]
          #expect(logs.contains(log.entries))
          withExtendedLifetime((first, made)) {}
        }
      }
    }

    @Test func clearedStoreReceivesNoStateThatIsDispatchedAfterClear() {
      explore { scenario in
        let log = Log<String>()
        let (first, second) = (FirstStore.instantiate(), SecondStore.instantiate())
        scenario.thread { Dispatcher.shared.dispatch(Step.log(1, in: log)) }
        scenario.thread {
          first.clear()
          Dispatcher.shared.dispatch(Step.log(2, in: log))
        }
        scenario.check {
          let logs = [
            ["first 1", "second 1", "second 2"],
            ["second 1", "second 2"],
            ["second 2", "second 1"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime((first, second)) {}
        }
      }
    }

    @Test func storeClearedByAnEarlierStoresReduceDoesNotReceiveTheState() {
      for clear in [{ _ in Dispatcher.shared.unregisterAll() }, { $0.clear() }] as [Clearing] {
        explore { scenario in
          let log = Log<String>()
          let (first, second) = (FirstStore.instantiate(), SecondStore.instantiate())
          scenario.thread {
            Dispatcher.shared.dispatch(
              Step.run { store in
                log.append("\(store.name) 1")
                clear(second)
              }
            )
          }
          scenario.thread { Dispatcher.shared.dispatch(Step.log(2, in: log)) }
          scenario.check {
            let logs = [
              ["first 1"], ["first 1", "first 2"], ["first 2", "second 2", "first 1"],
            ]
            #expect(logs.contains(log.entries))
            withExtendedLifetime(first) {}
          }
        }
      }
    }

    @Test func clearOfAnOldStoreLeavesANewerStoreRegistered() {
      explore { scenario in
        let old = FirstStore.instantiate()
        let got = Log<FirstStore>()
        scenario.thread { old.clear() }
        scenario.thread { got.append(.instantiate()) }
        scenario.check {
          let store = got.entries[0]
          #expect((FirstStore.instantiate() === store) == (store !== old))
          Dispatcher.shared.dispatch(Step.run { ($0 as? FirstStore)?.number.value += 1 })
          #expect(old.number.value == 0)
          #expect(store === old || store.number.value == 1)
        }
      }
    }

    @Test func instantiateNeverReturnsAClearedStoreThatHasMissedAState() {
      for clear in [{ _ in Dispatcher.shared.unregisterAll() }, { $0.clear() }] as [Clearing] {
        explore { scenario in
          let log = Log<String>()
          let old = SecondStore.instantiate()
          let got = Log<SecondStore>()
          scenario.thread { clear(old) }
          scenario.thread {
            Dispatcher.shared.dispatch(Step.log(1, in: log))
            got.append(.instantiate())
          }
          scenario.check { #expect(got.entries[0] !== old || log.entries == ["second 1"]) }
        }
      }
    }

    @Test func twoStoresClearedConcurrentlyAreBothUnregistered() {
      explore { scenario in
        let log = Log<String>()
        let (first, second) = (FirstStore.instantiate(), SecondStore.instantiate())
        scenario.thread { first.clear() }
        scenario.thread { second.clear() }
        scenario.check {
          Dispatcher.shared.dispatch(Step.log(1, in: log))
          #expect(log.entries.isEmpty)
          #expect(FirstStore.instantiate() !== first)
          #expect(SecondStore.instantiate() !== second)
        }
      }
    }

    @Test func onlyTheStoreInstantiatedAfterUnregisterAllReceivesStates() {
      explore { scenario in
        let log = Log<String>()
        let mine = Log<FirstStore>()
        let theirs = Log<FirstStore>()
        scenario.thread {
          Dispatcher.shared.unregisterAll()
          mine.append(.instantiate())
        }
        scenario.thread { theirs.append(.instantiate()) }
        scenario.check {
          let (mine, theirs) = (mine.entries[0], theirs.entries[0])
          Dispatcher.shared.dispatch(Step.run { ($0 as? FirstStore)?.number.value += 1 })
          #expect(mine.number.value == 1)
          #expect(theirs.number.value == (theirs === mine ? 1 : 0))
          #expect(log.entries.isEmpty)
        }
      }
    }

    @Test func storesRegisteredBeforeUnregisterAllReceiveNoStateDispatchedAfterward() {
      explore { scenario in
        let log = Log<String>()
        let (first, second) = (FirstStore.instantiate(), SecondStore.instantiate())
        scenario.thread { Dispatcher.shared.dispatch(Step.log(1, in: log)) }
        scenario.thread {
          Dispatcher.shared.unregisterAll()
          Dispatcher.shared.dispatch(Step.log(2, in: log))
        }
        scenario.check {
          #expect([[], ["first 1"], ["first 1", "second 1"]].contains(log.entries))
          withExtendedLifetime((first, second)) {}
        }
      }
    }
  }

  private typealias Clearing = @Sendable (SecondStore) -> Void
#endif
