#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B6: interceptors receive an event for each dispatch, in the order of the reduces. An event has a
  /// number and lists the changes.
  struct InterceptInterleavings {
    @Test func dispatchEventListsOnlyTheChangesOfItsOwnReduce() {
      explore { scenario in
        let log = logOfEvents()
        scenario.threads(1...2) { CounterAction().invoke(.add($0)) }
        scenario.keep(CounterStore.instantiate())
        scenario.check {
          let logs = [
            ["1: add(1) count 0→1 doubled 0→2", "2: add(2) count 1→3 doubled 2→6"],
            ["1: add(2) count 0→2 doubled 0→4", "2: add(1) count 2→3 doubled 4→6"],
          ]
          #expect(logs.contains(log.entries))
        }
      }
    }

    /// A store that lives only between two events isn't listed. Events without changes list no stores.
    @Test func eventsListTheStoresThatAreCreatedAndReleased() {
      explore { scenario in
        let (log, dusts) = (Log<String>(), DustBuster())
        var stores: [any Storable] = [CounterStore.instantiate()]
        for changes in [true, false] {
          Dispatcher.shared.intercept(changes: changes) { event in
            let lines = event.releasedStores.map { "−\($0)" } + event.createdStores.map { "+\($0)" }
            log.append(lines.joined())
          }.cleaned(by: dusts)
        }
        scenario.thread { CounterAction().invoke(.leaveAlone) }
        scenario.thread { _ = FirstStore.instantiate() }
        scenario.check {
          func listed() -> String {
            CounterAction().invoke(.leaveAlone)
            defer { log.removeAll() }
            return log.entries.joined()
          }
          #expect(["", "+FirstStore−FirstStore"].contains(listed()))
          stores = [FirstStore.instantiate()]
          #expect(listed() == "−CounterStore+FirstStore")
          stores = []
          stores = [FirstStore.instantiate()]
          #expect(listed() == "−FirstStore+FirstStore")
          dusts.clean()
          withExtendedLifetime(stores) {}
        }
      }
    }

    @Test func dispatchEventListsNoVariableThatItsReduceDidNotWrite() {
      explore { scenario in
        let log = logOfEvents()
        scenario.thread { CounterAction().invoke(.leaveAlone) }
        scenario.thread { CounterAction().invoke(.set(1)) }
        scenario.keep(CounterStore.instantiate())
        scenario.check {
          let logs = [
            ["1: leaveAlone", "2: set(1) count 0→1 doubled 0→2"],
            ["1: set(1) count 0→1 doubled 0→2", "2: leaveAlone"],
          ]
          #expect(logs.contains(log.entries))
        }
      }
    }

    @Test func interceptorAddedDuringAReduceReceivesAllOrNoneOfTheReducesChanges() {
      explore { scenario in
        let log = Log<String>()
        _ = Dispatcher.shared.addHook { _ in }
        scenario.thread { CounterAction().invoke(.add(1)) }
        scenario.thread { logEvents(in: log) }
        scenario.keep(CounterStore.instantiate())
        scenario.check {
          CounterAction().invoke(.add(2))
          let logs = [
            ["1: add(1) count 0→1 doubled 0→2", "2: add(2) count 1→3 doubled 2→6"],
            ["1: add(2) count 1→3 doubled 2→6"],
          ]
          #expect(logs.contains(log.entries))
        }
      }
    }
  }

  /// Returns a log of the shared dispatcher's events, with their changes.
  private func logOfEvents() -> Log<String> {
    let log = Log<String>()
    logEvents(in: log)
    return log
  }

  private func logEvents(in log: Log<String>) {
    _ = Dispatcher.shared.intercept { event in
      let changes = event.changes.map { " \($0.name) \($0.oldValue)→\($0.newValue)" }
      log.append("\(event.sequenceNumber): \(event.state)\(changes.joined())")
    }
  }
#endif
