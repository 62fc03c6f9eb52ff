import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// Races of dispatches and instantiations. If THOROUGH is set, each test performs about 200,000 operations.
///
/// The suite creates a dispatcher for each test, because the trait `.isolatedDispatcher` adds a hook to its dispatcher.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct DispatchStressTests {
  private let dispatcher = Dispatcher()
  private let dusts = DustBuster()

  // D1, D4

  @Test func observersOfTwoStoresReceiveConcurrentDispatchesInTheSameOrder() async {
    let counter = withDispatcher(dispatcher) { CounterStore.instantiate() }
    let mirror = withDispatcher(dispatcher) { MirrorStore.instantiate() }
    let count = Log<Int>()
    let doubled = Log<Int>()
    let mirrored = Log<Int>()
    counter.count.observe { count.append($0) }.cleaned(by: dusts)
    counter.doubled.observe { doubled.append($0 / 2) }.cleaned(by: dusts)
    mirror.count.observe { mirrored.append($0) }.cleaned(by: dusts)

    await inParallel(4) { index in
      for value in 0..<stress(50_000) {
        dispatcher.dispatch(Dispatcher.Counter.set(value * 4 + index))
      }
    }

    #expect(count.entries.count == stress(200_000) + 1)
    #expect(count.entries == doubled.entries)
    #expect(count.entries == mirrored.entries)
    for index in 0..<4 {
      let own = count.entries.dropFirst().filter { $0 % 4 == index }
      #expect(own == (0..<stress(50_000)).map { $0 * 4 + index })
    }
  }

  @Test func dispatcherReducesEveryStateThatObserversInvokeOnManyThreads() async {
    let store = withDispatcher(dispatcher) { CounterStore.instantiate() }
    let script = withDispatcher(dispatcher) { ScriptStore.instantiate() }
    store.count.observe(ignoreFirst: true) { [dispatcher] _ in
      dispatcher.reduce { $0.first.value += 1 }
    }.cleaned(by: dusts)

    await inParallel(4) { _ in
      for _ in 0..<stress(50_000) { dispatcher.dispatch(Dispatcher.Counter.add(1)) }
    }

    #expect(store.count.value == stress(200_000))
    #expect(script.first.value == stress(200_000))
  }

  // V1 beside D4

  /// A transaction's value is not delivered if another thread overwrites the value before the transaction
  /// ends.
  /// A write during another thread's transaction belongs to the transaction's change, so it can be missing.
  @Test func observerReceivesConcurrentWritesAndTransactionsAtMostOnceAndInOrder() async {
    let variable = Variable(0)
    let log = Log<Int>()
    variable.observe(ignoreFirst: true) { log.append($0) }.cleaned(by: dusts)

    await inParallel(4) { index in
      for round in 0..<stress(50_000) {
        let value = round * 4 + index
        if index < 2 {
          variable.value = value
        } else {
          dispatcher.transaction {
            variable.value = -1
            variable.value = value
          }
        }
      }
    }

    let told = log.entries
    #expect(told.last == variable.value)
    for index in 0..<4 {
      let own = told.filter { $0 >= 0 && $0 % 4 == index }
      #expect(zip(own, own.dropFirst()).allSatisfy(<))
    }
  }

  // R1, R2

  @Test func instantiateReturnsTheSameStoreToAllRacingThreads() async {
    let dispatchers = (0..<stress(25_000)).map { _ in Dispatcher() }
    let stores = (0..<8).map { _ in Log<CounterStore>() }

    await inParallel(8) { index in
      for dispatcher in dispatchers {
        stores[index].append(withDispatcher(dispatcher) { CounterStore.instantiate() })
      }
    }

    let first = stores[0].entries.map(ObjectIdentifier.init)
    for others in stores.dropFirst() {
      #expect(others.entries.map(ObjectIdentifier.init) == first)
    }
  }

  @Test func storeCreatedDuringConcurrentDispatchesReceivesLaterStates() async {
    for _ in 0..<stress(2_000) {
      let dispatcher = Dispatcher()
      let stores = Log<ScriptStore>()
      await inParallel(2) { index in
        if index == 0 {
          stores.append(withDispatcher(dispatcher) { ScriptStore.instantiate() })
        } else {
          for _ in 0..<100 { dispatcher.reduce { $0.first.value += 1 } }
        }
      }
      dispatcher.reduce { $0.second.value = 1 }
      #expect(stores.entries[0].second.value == 1)
    }
  }

  @Test func dispatchesDoNotCrashWhileOtherThreadsCreateAndFreeStores() async {
    await inParallel(4) { index in
      for round in 0..<stress(50_000) {
        if index < 2 {
          dispatcher.dispatch(Dispatcher.Counter.add(1))
        } else {
          withDispatcher(dispatcher) {
            let store = CounterStore.instantiate()
            let dusts = DustBuster()
            store.count.observe { _ in }.cleaned(by: dusts)
            if round % 10 == index { store.clear() }
            #expect(store.doubled.value % 2 == 0)
          }
        }
      }
    }
  }
}

/// A store that reduces the same states as `CounterStore`.
private final class MirrorStore: Storable {
  let count = Variable(0)

  func reduce(with state: Dispatcher.Counter) {
    switch state {
    case .add(let amount): count.value += amount
    case .set(let value): count.value = value
    case .leaveAlone: break
    }
  }
}
