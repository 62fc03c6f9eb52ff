import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct InterceptTests {
  private let dispatcher = Dispatcher.shared
  private let dusts = DustBuster()
  private let log = Log<String>()
  private let store = CounterStore.instantiate()

  private func intercept(_ body: @escaping @Sendable (DispatchEvent) -> Void) {
    dispatcher.intercept(body).cleaned(by: dusts)
  }

  @Test func interceptorReceivesTheStateStoresChangesTimesAndSourceLocationOfADispatch() throws {
    let store = ScriptStore.instantiate()
    let events = Log<DispatchEvent>()
    let start = ContinuousClock.now
    intercept { events.append($0) }

    let line = UInt(#line + 1)
    ScriptAction().invoke(
      .run { store in
        store.second.value = 1
        store.second.value = 2
      }
    )

    let event = try #require(events.entries.first)
    #expect(events.entries.count == 1)
    #expect(event.state is Dispatcher.Script)
    #expect(event.sequenceNumber == 1)
    #expect(event.stores.map { "\($0)" } == ["ScriptStore"])
    #expect(event.changes.map(\.name) == ["second"])
    #expect(event.changes[0].store is ScriptStore.Type)
    #expect(event.changes[0].oldValue as? Int == 0)
    #expect(event.changes[0].newValue as? Int == 2)
    #expect(event.instant >= start && event.duration > .zero)
    #expect(event.instant + event.duration <= .now)
    // 1,795,000,000 seconds after 1970 is a day in November 2026, when this test was written.
    #expect(event.wallClockTime > .seconds(1_795_000_000))
    #expect(event.fileID.description == "FluxCapacitorTests/InterceptTests.swift")
    #expect(event.line == line)
    #expect(store.second.value == 2)
  }

  /// A function of a state has no parameters for the source location, so the events name the library's files.
  @Test func invokeAndDispatchConvertToFunctionsThatTakeOnlyAState() {
    intercept { [log] event in log.append("\(event.state) \(event.fileID)") }

    [Dispatcher.Counter.add(1)].forEach(CounterAction().invoke)
    [Dispatcher.Counter.add(2)].forEach(dispatcher.dispatch)

    #expect(store.count.value == 3)
    #expect(
      log.entries == [
        "add(1) FluxCapacitor/Actionable.swift", "add(2) FluxCapacitor/Dispatcher.swift",
      ]
    )
  }

  @Test func interceptorReceivesAnEventForAStateThatReachesNoStore() {
    intercept { [log] event in
      log.append("\(event.sequenceNumber) \(event.stores.count) \(event.changes.count)")
    }

    ScriptAction().invoke(.run { _ in })
    let script = ScriptStore.instantiate()
    ScriptAction().invoke(.run { $0.first.value = 1 })

    #expect(log.entries == ["1 0 0", "2 1 1"])
    #expect(script.first.value == 1)
  }

  @Test func interceptorsReceiveEachDispatchBeforeTheObserversOfItsChanges() {
    store.count.observe(ignoreFirst: true) { [log] in log.append("count \($0)") }
      .cleaned(by: dusts)
    intercept { [log] in log.append("first \($0.sequenceNumber)") }
    intercept { [log] in log.append("second \($0.sequenceNumber)") }

    CounterAction().invoke(.add(1))
    CounterAction().invoke(.add(1))

    #expect(
      log.entries == ["first 1", "second 1", "count 1", "first 2", "second 2", "count 2"]
    )
  }

  @Test func interceptorReceivesAllDispatchesOfATransactionBeforeObserversReceiveItsChanges() {
    let other = Variable(0)
    other.observe(ignoreFirst: true) { [log] in log.append("other \($0)") }.cleaned(by: dusts)
    store.count.observe(ignoreFirst: true) { [log] in log.append("count \($0)") }
      .cleaned(by: dusts)
    intercept { [log] event in
      let changes = event.changes.map { "\($0.name) \($0.oldValue) → \($0.newValue)" }
      log.append("event \(event.sequenceNumber): \(changes.joined(separator: ", "))")
    }

    dispatcher.transaction {
      other.value = 1
      CounterAction().invoke(.add(1))
      CounterAction().invoke(.add(2))
      #expect(log.entries == [])
    }

    #expect(
      log.entries == [
        "event 1: count 0 → 1, doubled 0 → 2", "event 2: count 1 → 3, doubled 2 → 6",
        "other 1", "count 3",
      ]
    )
  }

  @Test func interceptorThatInvokesStatesReceivesTheirEventsUntilTheInterceptorCleansItself() {
    let dust = Log<Dust>()
    dust.append(
      dispatcher.intercept { [log] event in
        log.append("event \(event.sequenceNumber)")
        if event.sequenceNumber < 3 {
          CounterAction().invoke(.add(1))
        } else {
          dust.entries[0].clean()
        }
      }
    )

    CounterAction().invoke(.add(1))
    CounterAction().invoke(.add(1))

    #expect(log.entries == ["event 1", "event 2", "event 3"])
    #expect(store.count.value == 4)
  }

  @Test func interceptorIsNotCalledAfterItsDustIsCleaned() {
    let dust = dispatcher.intercept { [log] in log.append("event \($0.sequenceNumber)") }

    CounterAction().invoke(.add(1))
    dust.clean()
    CounterAction().invoke(.add(1))
    intercept { [log] in log.append("later \($0.sequenceNumber)") }
    CounterAction().invoke(.add(1))

    #expect(log.entries == ["event 1", "later 2"])
    #expect(store.count.value == 3)
  }

  /// A snapshot of the variable would wait for the end of the `modify`, which waits for the dispatch.
  @Test func interceptorWithoutChangesReceivesEachStateAndReadsNoVariable() async {
    let store = ScriptStore.instantiate()
    let events = Log<DispatchEvent>()
    dispatcher.intercept(changes: false) { events.append($0) }.cleaned(by: dusts)

    await inParallel(1) { [dispatcher] _ in
      store.second.modify { _ in
        inParallel(1) { _ in
          dispatcher.dispatch(Dispatcher.Script.run { $0.first.value = 1 })
          dispatcher.dispatch(Dispatcher.Toast.show)
        }
      }
    }

    #expect(events.entries.map(\.sequenceNumber) == [1, 2])
    #expect(events.entries.map { "\(type(of: $0.state))" } == ["Script", "Toast"])
    #expect(events.entries.map { $0.stores.count } == [1, 0])
    #expect(events.entries.allSatisfy { $0.changes.isEmpty })
  }

  @Test func interceptorWithoutChangesReceivesNoneBesideOneThatReceivesThem() {
    let counts = Log<Int>()
    for changes in [false, true, false] {
      dispatcher.intercept(changes: changes) { counts.append($0.changes.count) }
        .cleaned(by: dusts)
    }

    CounterAction().invoke(.add(1))

    #expect(counts.entries == [0, 2, 0])
  }

  @Test(.oneAtATime) func interceptorReceivesConcurrentDispatchesInOneOrderWithoutGaps() async {
    let dispatcher = Dispatcher()
    let store = withDispatcher(dispatcher) { CounterStore.instantiate() }
    let numbers = ExclusiveObserver()
    let latest = Latest()
    let breaks = Tally()
    dispatcher.intercept { event in
      numbers.receive(event.sequenceNumber)
      guard let old = event.changes.first?.oldValue as? Int,
        let new = event.changes.first?.newValue as? Int
      else { return breaks.add() }
      if old != latest.load() || new != old + 1 { breaks.add() }
      latest.store(new)
    }.cleaned(by: dusts)
    // Because of this observer, one thread can deliver the count while another thread calls the interceptor.
    store.count.observe(ignoreFirst: true) { _ in }.cleaned(by: dusts)

    await inParallel(4) { _ in
      for _ in 0..<stress(50_000) { dispatcher.dispatch(Dispatcher.Counter.add(1)) }
    }

    numbers.expectConsecutive(through: stress(200_000))
    #expect(breaks.value == 0)
  }
}

extension Dispatcher {
  fileprivate enum Toast: DispatchState {
    typealias RelatedStoreType = NoStore<Self>

    case show
  }
}
