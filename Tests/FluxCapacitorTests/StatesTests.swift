import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct StatesTests {
  // MARK: Delivered states

  @Test func stateObserversReceiveEveryInvokedStateOnceAndInOrder() {
    let dispatcher = Dispatcher.shared
    let store = CounterStore.instantiate()
    let log = Log<String>()
    let dusts = DustBuster()
    for name in ["a", "b"] {
      dispatcher.observe(Dispatcher.Counter.self) { log.append("\(name) \($0)") }
        .cleaned(by: dusts)
    }

    for amount in [1, 1, 2] { CounterAction().invoke(.add(amount)) }

    #expect(
      log.entries == ["a add(1)", "b add(1)", "a add(1)", "b add(1)", "a add(2)", "b add(2)"]
    )
    withExtendedLifetime(store) {}
  }

  @Test func newStateObserverReceivesNoEarlierStates() {
    let dispatcher = Dispatcher()
    let log = Log<Int>()
    dispatcher.dispatch(Dispatcher.Counter.add(1))

    let dust = dispatcher.observe(Dispatcher.Counter.self) { log.append($0.number) }
    dispatcher.dispatch(Dispatcher.Counter.add(2))

    #expect(log.entries == [2])
    dust.clean()
  }

  @Test func stateObserverReceivesAStateThatReachesNoStore() {
    let dispatcher = Dispatcher()
    let log = Log<Int>()
    let dust = dispatcher.observe(Dispatcher.Counter.self) { log.append($0.number) }

    dispatcher.dispatch(Dispatcher.Counter.add(1))

    #expect(log.entries == [1])
    dust.clean()
  }

  @Test func stateObserverReceivesOnlyStatesOfItsTypeAndDispatcher() {
    let dispatcher = Dispatcher()
    let log = Log<String>()
    let dusts = DustBuster()
    dispatcher.observe(Home.State.self) { log.append("home \($0)") }.cleaned(by: dusts)

    dispatcher.dispatch(Work.State.rename("work"))
    Dispatcher().dispatch(Home.State.rename("elsewhere"))
    dispatcher.dispatch(Home.State.rename("here"))

    #expect(log.entries == [#"home rename("here")"#])
  }

  @Test func storeCreatedAfterAStateObserverSubscribesReducesLaterStates() {
    let dispatcher = Dispatcher()
    let log = Log<Int>()
    let dust = dispatcher.observe(Dispatcher.Counter.self) { log.append($0.number) }
    dispatcher.dispatch(Dispatcher.Counter.add(1))
    let store = withDispatcher(dispatcher) { CounterStore.instantiate() }

    dispatcher.dispatch(Dispatcher.Counter.add(2))
    store.clear()
    dispatcher.dispatch(Dispatcher.Counter.add(3))

    #expect(log.entries == [1, 2, 3])
    #expect(store.count.value == 2)
    dust.clean()
  }

  @Test func unregisterAllUnregistersStoresButNotStateObservers() {
    let dispatcher = Dispatcher()
    let store = withDispatcher(dispatcher) { CounterStore.instantiate() }
    let log = Log<Int>()
    let dust = dispatcher.observe(Dispatcher.Counter.self) { log.append($0.number) }
    dispatcher.dispatch(Dispatcher.Counter.add(1))

    dispatcher.unregisterAll()
    dispatcher.dispatch(Dispatcher.Counter.add(2))

    #expect(log.entries == [1, 2])
    #expect(store.count.value == 1)
    dust.clean()
  }

  // MARK: Order of delivery

  @Test func stateObserverIsCalledAfterTheReducesAndTheObserversOfTheirVariables() {
    let dispatcher = Dispatcher.shared
    let store = CounterStore.instantiate()
    let audit = AuditStore.instantiate()
    let log = Log<String>()
    let dusts = DustBuster()
    audit.onReduce.value = { log.append("reduce") }
    dispatcher.observe(Dispatcher.Counter.self) { log.append("\($0)") }.cleaned(by: dusts)
    store.doubled.observe(ignoreFirst: true) { log.append("doubled \($0)") }.cleaned(by: dusts)
    store.count.observe(ignoreFirst: true) { log.append("count \($0)") }.cleaned(by: dusts)

    CounterAction().invoke(.add(1))

    #expect(log.entries == ["reduce", "count 1", "doubled 2", "add(1)"])
  }

  @Test func stateObserverReceivesEveryStateOfATransactionAfterTheTransaction() {
    let dispatcher = Dispatcher.shared
    let log = Log<String>()
    let dust = dispatcher.observe(Dispatcher.Counter.self) { log.append("\($0)") }

    dispatcher.transaction {
      CounterAction().invoke(.add(1))
      CounterAction().invoke(.add(2))
      log.append("end")
    }

    #expect(log.entries == ["end", "add(1)", "add(2)"])
    dust.clean()
  }

  @Test func stateInvokedByAStateObserverIsDeliveredAfterAllObserversReceiveTheCurrentState() {
    let dispatcher = Dispatcher.shared
    let log = Log<String>()
    let dusts = DustBuster()
    for name in ["a", "b"] {
      dispatcher.observe(Dispatcher.Counter.self) { state in
        log.append("\(name) \(state.number)")
        if name == "a", state.number == 1 { CounterAction().invoke(.add(2)) }
      }
      .cleaned(by: dusts)
    }

    CounterAction().invoke(.add(1))

    #expect(log.entries == ["a 1", "b 1", "a 2", "b 2"])
  }

  @Test func stateInvokedInAReduceReachesStateObserversAfterTheStateBeingReduced() {
    let dispatcher = Dispatcher.shared
    let audit = AuditStore.instantiate()
    let log = Log<String>()
    let dusts = DustBuster()
    audit.onReduce.value = { dispatcher.dispatch(Home.State.rename("later")) }
    dispatcher.observe(Home.State.self) { log.append("\($0)") }.cleaned(by: dusts)
    dispatcher.observe(Dispatcher.Counter.self) { log.append("\($0)") }.cleaned(by: dusts)

    CounterAction().invoke(.add(1))

    #expect(log.entries == ["add(1)", #"rename("later")"#])
  }

  @Test func stateObserverAddedInsideAStateObserverStartsWithTheNextState() {
    let dispatcher = Dispatcher()
    let log = Log<String>()
    let dusts = DustBuster()
    dispatcher.observe(Dispatcher.Counter.self) { state in
      guard state.number == 1 else { return }
      dispatcher.observe(Dispatcher.Counter.self) { log.append("late \($0)") }.cleaned(by: dusts)
    }.cleaned(by: dusts)

    dispatcher.dispatch(Dispatcher.Counter.add(1))
    dispatcher.dispatch(Dispatcher.Counter.add(2))

    #expect(log.entries == ["late add(2)"])
  }

  // MARK: Threads and queues

  @Test @MainActor func stateObserverOnMainIsCalledOnTheMainActor() {
    let dispatcher = Dispatcher()
    let view = StatesView()
    let dust = dispatcher.observe(Dispatcher.Counter.self, on: .main) { state in
      view.seen.append(state.number)
    }

    dispatcher.dispatch(Dispatcher.Counter.add(1))

    #expect(view.seen == [1])
    dust.clean()
  }

  @Test func stateObserverOnAQueueIsCalledOnThatQueue() {
    let dispatcher = Dispatcher()
    let queue = DispatchQueue(label: "observer")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let log = Log<Bool>()
    let dust = dispatcher.observe(Dispatcher.Counter.self, on: .queue(queue)) { _ in
      log.append(DispatchQueue.getSpecific(key: key) == true)
    }

    for number in 0..<3 { dispatcher.dispatch(Dispatcher.Counter.add(number)) }
    queue.sync {}

    #expect(log.entries == [true, true, true])
    dust.clean()
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

@MainActor
private final class StatesView {
  var seen: [Int] = []
}
