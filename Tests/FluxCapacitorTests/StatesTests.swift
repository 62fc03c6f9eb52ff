import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct StatesTests {
  private let dispatcher = Dispatcher.shared
  private let log = Log<String>()
  private let dusts = DustBuster()

  // MARK: Delivered states

  @Test func stateObserversReceiveEveryInvokedStateOnceAndInOrder() {
    let store = CounterStore.instantiate()
    for name in ["a", "b"] {
      dispatcher.observe(Dispatcher.Counter.self) { [log] in log.append("\(name) \($0)") }
        .cleaned(by: dusts)
    }

    for amount in [1, 1, 2] { CounterAction().invoke(.add(amount)) }

    #expect(
      log.entries == ["a add(1)", "b add(1)", "a add(1)", "b add(1)", "a add(2)", "b add(2)"]
    )
    withExtendedLifetime(store) {}
  }

  @Test func stateObserverReceivesOnlyStatesOfItsTypeAndDispatcher() {
    let dispatcher = Dispatcher()
    dispatcher.observe(Home.State.self) { [log] in log.append("home \($0)") }.cleaned(by: dusts)

    dispatcher.dispatch(Work.State.rename("work"))
    Dispatcher().dispatch(Home.State.rename("elsewhere"))
    dispatcher.dispatch(Home.State.rename("here"))

    #expect(log.entries == [#"home rename("here")"#])
  }

  @Test func storeCreatedAfterAStateObserverSubscribesReducesLaterStates() {
    let dispatcher = Dispatcher()
    let log = Log<Int>()
    dispatcher.observe(Dispatcher.Counter.self) { log.append($0.number) }.cleaned(by: dusts)
    dispatcher.dispatch(Dispatcher.Counter.add(1))
    let store = withDispatcher(dispatcher) { CounterStore.instantiate() }

    dispatcher.dispatch(Dispatcher.Counter.add(2))
    store.clear()
    dispatcher.dispatch(Dispatcher.Counter.add(3))

    #expect(log.entries == [1, 2, 3])
    #expect(store.count.value == 2)
  }

  @Test func unregisterAllUnregistersStoresButNotStateObservers() {
    let dispatcher = Dispatcher()
    let store = withDispatcher(dispatcher) { CounterStore.instantiate() }
    let log = Log<Int>()
    dispatcher.observe(Dispatcher.Counter.self) { log.append($0.number) }.cleaned(by: dusts)
    dispatcher.dispatch(Dispatcher.Counter.add(1))

    dispatcher.unregisterAll()
    dispatcher.dispatch(Dispatcher.Counter.add(2))

    #expect(log.entries == [1, 2])
    #expect(store.count.value == 1)
  }

  // MARK: Order of delivery

  @Test func stateObserverIsCalledAfterTheReducesAndTheObserversOfTheirVariables() {
    let store = CounterStore.instantiate()
    let audit = AuditStore.instantiate()
    audit.onReduce.value = { [log] in log.append("reduce") }
    dispatcher.observe(Dispatcher.Counter.self) { [log] in log.append("\($0)") }.cleaned(by: dusts)
    store.doubled.observe(ignoreFirst: true) { [log] in log.append("doubled \($0)") }
      .cleaned(by: dusts)
    store.count.observe(ignoreFirst: true) { [log] in log.append("count \($0)") }.cleaned(by: dusts)

    CounterAction().invoke(.add(1))

    #expect(log.entries == ["reduce", "count 1", "doubled 2", "add(1)"])
  }

  @Test func stateInvokedByAStateObserverIsDeliveredAfterAllObserversReceiveTheCurrentState() {
    for name in ["a", "b"] {
      dispatcher.observe(Dispatcher.Counter.self) { [log] state in
        log.append("\(name) \(state.number)")
        if name == "a", state.number == 1 { CounterAction().invoke(.add(2)) }
      }
      .cleaned(by: dusts)
    }

    CounterAction().invoke(.add(1))

    #expect(log.entries == ["a 1", "b 1", "a 2", "b 2"])
  }

  @Test func stateInvokedInAReduceReachesStateObserversAfterTheStateBeingReduced() {
    let audit = AuditStore.instantiate()
    audit.onReduce.value = { [dispatcher] in dispatcher.dispatch(Home.State.rename("later")) }
    dispatcher.observe(Home.State.self) { [log] in log.append("\($0)") }.cleaned(by: dusts)
    dispatcher.observe(Dispatcher.Counter.self) { [log] in log.append("\($0)") }.cleaned(by: dusts)

    CounterAction().invoke(.add(1))

    #expect(log.entries == ["add(1)", #"rename("later")"#])
  }

  // MARK: Threads and queues

  @Test @MainActor func stateObserverOnMainIsCalledOnTheMainActor() {
    let dispatcher = Dispatcher()
    let view = BoundView()
    dispatcher.observe(Dispatcher.Counter.self, on: .main) { state in
      view.count += state.number
    }.cleaned(by: dusts)

    dispatcher.dispatch(Dispatcher.Counter.add(1))

    #expect(view.count == 1)
  }

  // MARK: End of an observation

  @Test func cleanedStateObserverReceivesNoStatesAndIsFreed() {
    let dispatcher = Dispatcher()
    let tally = Tally()
    let log = Log<Int>()
    let dust = dispatcher.observe(Dispatcher.Counter.self) { [counted = Counted(tally)] state in
      withExtendedLifetime(counted) { log.append(state.number) }
    }
    dispatcher.dispatch(Dispatcher.Counter.add(1))

    dust.clean()
    dispatcher.dispatch(Dispatcher.Counter.add(2))

    #expect(log.entries == [1])
    #expect(tally.value == 0)
  }

  @Test func stateObserversDoNotKeepTheDispatcherAliveAndAreFreedWithTheDispatcher() {
    let tally = Tally()
    weak var weakly: Dispatcher?
    do {
      let dispatcher = Dispatcher()
      weakly = dispatcher
      _ = dispatcher.observe(Dispatcher.Counter.self) { [counted = Counted(tally)] _ in
        withExtendedLifetime(counted) {}
      }
      dispatcher.dispatch(Dispatcher.Counter.add(1))
      #expect(tally.value == 1)
    }

    #expect(weakly == nil)
    #expect(tally.value == 0)
  }
}
