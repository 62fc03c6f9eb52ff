#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B6: interceptors receive an event for each dispatch, in the order of the reduces. An event has a
  /// number and lists the changes.
  struct InterceptInterleavings {
    @Test func interceptorsReceiveDispatchEventsInTheOrderOfTheReduces() {
      explore { scenario in
        let (first, second) = (Log<String>(), Log<String>())
        let dusts = [
          Dispatcher.shared.intercept { first.append("first \($0.sequenceNumber)") },
          Dispatcher.shared.intercept { second.append(name(of: $0.state)) },
        ]
        scenario.thread { Dispatcher.shared.dispatch(Step.run { _ in }) }
        scenario.thread { CounterAction().invoke(.set(2)) }
        scenario.check {
          #expect(first.entries == ["first 1", "first 2"])
          #expect([["Step", "Counter"], ["Counter", "Step"]].contains(second.entries))
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func interceptorReceivesNoEventAfterEitherOfTwoConcurrentCleansReturns() {
      explore { scenario in
        let (isCleaned, isLate) = (Flag(), Flag())
        let dust = Dispatcher.shared.intercept { _ in if isCleaned.isSet { isLate.set() } }
        scenario.thread { dust.clean() }
        scenario.thread {
          dust.clean()
          isCleaned.set()
          CounterAction().invoke(.set(1))
        }
        scenario.check { #expect(!isLate.isSet) }
      }
    }

    @Test func interceptorReceivesNoEventAfterEitherOfTwoCleansOfItsDustBusterReturns() {
      explore { scenario in
        let (isCleaned, isLate) = (Flag(), Flag())
        let bag = DustBuster()
        Dispatcher.shared.intercept { _ in if isCleaned.isSet { isLate.set() } }.cleaned(by: bag)
        scenario.thread { bag.clean() }
        scenario.thread {
          bag.clean()
          isCleaned.set()
          CounterAction().invoke(.set(1))
        }
        scenario.check { #expect(!isLate.isSet) }
      }
    }

    @Test func dispatchEventListsOnlyTheChangesOfItsOwnReduce() {
      explore { scenario in
        let log = Log<String>()
        let store = CounterStore.instantiate()
        let dust = Dispatcher.shared.intercept { log.append(describe($0)) }
        for number in 1...2 {
          scenario.thread { CounterAction().invoke(.add(number)) }
        }
        scenario.check {
          let logs = [
            ["1: add(1) count 0→1 doubled 0→2", "2: add(2) count 1→3 doubled 2→6"],
            ["1: add(2) count 0→2 doubled 0→4", "2: add(1) count 2→3 doubled 4→6"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime((store, dust)) {}
        }
      }
    }

    @Test func dispatchEventListsNoVariableThatItsReduceDidNotWrite() {
      explore { scenario in
        let log = Log<String>()
        let store = CounterStore.instantiate()
        let dust = Dispatcher.shared.intercept { log.append(describe($0)) }
        scenario.thread { CounterAction().invoke(.leaveAlone) }
        scenario.thread { CounterAction().invoke(.set(1)) }
        scenario.check {
          let logs = [
            ["1: leaveAlone", "2: set(1) count 0→1 doubled 0→2"],
            ["1: set(1) count 0→1 doubled 0→2", "2: leaveAlone"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime((store, dust)) {}
        }
      }
    }

    /// The interceptor can miss states that another thread dispatches before the first event. After the
    /// first event, the interceptor misses no state.
    @Test func interceptorAddedDuringDispatchesReceivesEveryLaterDispatch() {
      explore { scenario in
        let log = Log<String>()
        let dusts = Log<Dust>()
        scenario.thread {
          CounterAction().invoke(.add(1))
          CounterAction().invoke(.add(2))
        }
        scenario.thread {
          dusts.append(Dispatcher.shared.intercept { log.append(describe($0)) })
          CounterAction().invoke(.set(10))
        }
        scenario.check {
          let logs = [
            ["1: add(1)", "2: add(2)", "3: set(10)"],
            ["1: add(1)", "2: set(10)", "3: add(2)"],
            ["1: set(10)", "2: add(1)", "3: add(2)"],
            ["1: add(2)", "2: set(10)"],
            ["1: set(10)", "2: add(2)"],
            ["1: set(10)"],
          ]
          #expect(logs.contains(log.entries))
        }
      }
    }

    @Test func secondInterceptorReceivesEveryReduceThatBeginsAfterItsRegistration() {
      explore { scenario in
        let (first, second) = (Log<String>(), Log<String>())
        let dust = Dispatcher.shared.intercept { first.append(describe($0)) }
        let dusts = Log<Dust>()
        scenario.thread { CounterAction().invoke(.add(1)) }
        scenario.thread {
          dusts.append(Dispatcher.shared.intercept { second.append(describe($0)) })
        }
        scenario.check {
          CounterAction().invoke(.add(2))
          let events = ["1: add(1)", "2: add(2)"]
          #expect(first.entries == events)
          #expect([events, [events[1]]].contains(second.entries))
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func interceptorAddedDuringAReduceReceivesAllOrNoneOfTheReducesChanges() {
      explore { scenario in
        let log = Log<String>()
        let store = CounterStore.instantiate()
        let dusts = Log(Dispatcher.shared.addHook { _ in })
        scenario.thread { CounterAction().invoke(.add(1)) }
        scenario.thread {
          dusts.append(Dispatcher.shared.intercept { log.append(describe($0)) })
        }
        scenario.check {
          CounterAction().invoke(.add(2))
          let logs = [
            ["1: add(1) count 0→1 doubled 0→2", "2: add(2) count 1→3 doubled 2→6"],
            ["1: add(2) count 1→3 doubled 2→6"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime((store, dusts)) {}
        }
      }
    }

    @Test func interceptorIsNotCalledAfterCleanReturns() {
      explore(isReduced: false) { scenario in
        let (isCleaned, isLate) = (Flag(), Flag())
        let dust = Dispatcher.shared.intercept { _ in if isCleaned.isSet { isLate.set() } }
        scenario.thread { CounterAction().invoke(.add(1)) }
        scenario.thread {
          dust.clean()
          isCleaned.set()
        }
        scenario.check { #expect(!isLate.isSet) }
      }
    }

    @Test func interceptorReceivesEveryEventWhileAnotherInterceptorIsCleaned() {
      explore { scenario in
        let log = Log<Int>()
        let dusts = [
          Dispatcher.shared.intercept { _ in },
          Dispatcher.shared.intercept { log.append($0.sequenceNumber) },
        ]
        scenario.thread { CounterAction().invoke(.add(1)) }
        scenario.thread { dusts[0].clean() }
        scenario.check { #expect(log.entries == [1]) }
      }
    }

    /// A thread never waits for an interceptor that another thread is about to call, because such a wait
    /// could last forever.
    @Test func interceptorIsCalledBeforeObserversUnlessAnotherThreadCallsTheInterceptor() {
      explore { scenario in
        let log = Log<String>()
        let store = FirstStore.instantiate()
        let dusts = [
          store.number.observe(ignoreFirst: true) { log.append("told \($0)") },
          Dispatcher.shared.intercept { log.append("event \($0.sequenceNumber)") },
        ]
        for _ in 1...2 {
          scenario.thread { Dispatcher.shared.dispatch(Step.run { _ in store.number.value += 1 }) }
        }
        scenario.check {
          let logs = [
            ["event 1", "event 2", "told 1", "told 2"],
            ["event 1", "told 1", "event 2", "told 2"],
            ["told 1", "event 1", "event 2", "told 2"],
            ["event 1", "told 1", "told 2", "event 2"],
            ["told 1", "told 2", "event 1", "event 2"],
            ["told 1", "event 1", "told 2", "event 2"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func stateInvokedByAnInterceptorProducesItsOwnDispatchEvent() {
      explore { scenario in
        let log = Log<String>()
        let dust = Dispatcher.shared.intercept { event in
          log.append(describe(event))
          if case Dispatcher.Counter.add(1) = event.state { CounterAction().invoke(.add(2)) }
        }
        scenario.thread { CounterAction().invoke(.add(1)) }
        scenario.thread { CounterAction().invoke(.set(0)) }
        scenario.check {
          let logs = [
            ["1: add(1)", "2: add(2)", "3: set(0)"],
            ["1: add(1)", "2: set(0)", "3: add(2)"],
            ["1: set(0)", "2: add(1)", "3: add(2)"],
          ]
          #expect(logs.contains(log.entries))
          withExtendedLifetime(dust) {}
        }
      }
    }

    /// The cleaning thread can free the closure while another thread is about to call the interceptor.
    @Test func cleaningAnInterceptorFreesItsClosureOnce() {
      explore(isReduced: false) { scenario in
        let log = Log<String>()
        let dust = {
          let held = Held(in: log)
          return Dispatcher.shared.intercept { event in held.note(event) }
        }()
        scenario.thread { CounterAction().invoke(.add(1)) }
        scenario.thread { dust.clean() }
        scenario.check {
          #expect([["1", "deinit"], ["deinit"]].contains(log.entries))
          withExtendedLifetime(dust) {}
        }
      }
    }
  }

  private final class Held: Sendable {
    private let log: Log<String>

    init(in log: Log<String>) {
      self.log = log
    }

    deinit { log.append("deinit") }

    func note(_ event: DispatchEvent) { log.append("\(event.sequenceNumber)") }
  }

  private func name(of state: any DispatchState) -> String { "\(type(of: state))" }

  private func describe(_ event: DispatchEvent) -> String {
    let changes = event.changes.map { " \($0.name) \($0.oldValue)→\($0.newValue)" }
    return "\(event.sequenceNumber): \(event.state)\(changes.joined())"
  }
#endif
