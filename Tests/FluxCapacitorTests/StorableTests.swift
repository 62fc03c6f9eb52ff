import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher)
struct StorableTests {
  private let dispatcher = Dispatcher.shared

  // R1, R2

  @Test func instantiateCreatesAFreshStoreAfterTheLastReferenceIsReleased() {
    weak var first: CounterStore?
    do {
      let store = CounterStore.instantiate()
      CounterAction().invoke(.add(1))
      first = store
      #expect(first != nil)
    }

    #expect(first == nil)
    #expect(CounterStore.instantiate().count.value == 0)
  }

  // R3

  @Test func stateReachesEveryStoreOfItsStateTypeInTheOrderOfRegistration() {
    let log = Log<String>()
    let audit = AuditStore.instantiate()
    let counter = CounterStore.instantiate()
    let ledger = LedgerStore.instantiate()
    audit.onReduce.value = { log.append("audit sees \(counter.count.value)") }
    ledger.onReduce.value = { log.append("ledger sees \(counter.count.value)") }

    CounterAction().invoke(.add(1))

    #expect(log.entries == ["audit sees 0", "ledger sees 1"])
  }

  @Test func stateReachesNoStoreOfAnotherStateTypeWithTheSameName() {
    let home = Home.Store.instantiate()
    let work = Work.Store.instantiate()

    dispatcher.dispatch(Home.State.rename("home"))

    #expect(home.name.value == "home")
    #expect(work.name.value == "")
  }

  @Test func instantiateOfAParentStoreReturnsTheLiveSubclassStore() {
    let loud = LoudStore.instantiate()

    #expect(ParentStore.instantiate() === loud)
    dispatcher.dispatch(ParentStore.State.say("hi"))
    #expect(loud.said.value == "HI")
  }

  @Test func parentStoreAndSubclassStoreBothReceiveStatesWhenTheParentIsCreatedFirst() {
    let parent = ParentStore.instantiate()
    let loud = LoudStore.instantiate()

    #expect(parent !== loud)
    #expect(ParentStore.instantiate() === parent)
    #expect(LoudStore.instantiate() === loud)
    dispatcher.dispatch(ParentStore.State.say("hi"))
    #expect([parent.said.value, loud.said.value] == ["hi", "HI"])
  }

  // R4

  @Test func clearOnAnOldStoreLeavesTheNewStoreRegistered() {
    let old = CounterStore.instantiate()
    old.clear()
    let new = CounterStore.instantiate()
    #expect(new !== old)

    old.clear()
    CounterAction().invoke(.add(1))

    #expect(CounterStore.instantiate() === new)
    #expect(new.count.value == 1)
    #expect(old.count.value == 0)
  }

  @Test func clearUnregistersTheStoreFromItsOwnDispatcherRatherThanTheSharedDispatcher() {
    let dispatcher = Dispatcher()
    let store = withDispatcher(dispatcher) { CounterStore.instantiate() }

    store.clear()
    dispatcher.dispatch(Dispatcher.Counter.add(1))

    #expect(store.count.value == 0)
  }

  @Test func clearUnregistersAStoreAtTheAddressOfAFreedStoreOfAnotherDispatcher() {
    let here = Dispatcher()
    let there = Dispatcher()
    for _ in 0..<100 {
      let address = withDispatcher(here) { ObjectIdentifier(CounterStore.instantiate()) }
      let store = withDispatcher(there) { CounterStore.instantiate() }
      guard ObjectIdentifier(store) == address else { continue }

      // This dispatch unregisters the freed store.
      here.dispatch(Dispatcher.Counter.add(1))
      store.clear()
      there.dispatch(Dispatcher.Counter.add(1))

      #expect(store.count.value == 0)
    }
  }

  @Test func unregisterAllUnregistersEveryStoreOfTheDispatcher() {
    let counter = CounterStore.instantiate()
    let script = ScriptStore.instantiate()

    dispatcher.unregisterAll()
    CounterAction().invoke(.add(1))
    dispatcher.reduce { $0.first.value = 1 }

    #expect(counter.count.value == 0)
    #expect(script.first.value == 0)
    #expect(CounterStore.instantiate() !== counter)
  }

  // R5

  @Test func deinitOfAStoreInstantiatesAStoreThatAnotherThreadIsCreatingWithoutDeadlock() {
    let dispatcher = Dispatcher()

    inParallel(2) { index in
      withDispatcher(dispatcher) {
        for _ in 0..<stress(20_000) {
          if index == 0 { _ = ReturningStore.instantiate() } else { _ = AuditStore.instantiate() }
        }
      }
    }
  }

  @Test func stateInvokedInAStoresInitializerReachesThatStore() {
    let store = EagerStore.instantiate()

    #expect(store.count.value == 1)
  }
}
