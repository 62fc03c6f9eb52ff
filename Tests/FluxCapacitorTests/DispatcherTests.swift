import FluxCapacitor
import Testing

struct DispatcherTests {
  // D1

  @Test func reducesNeverOverlap() {
    isolated { dispatcher in
      let store = ScriptStore.instantiate()
      let entered = Gate()
      let leave = Gate()
      let log = Log<String>()

      let beside = Beside {
        dispatcher.reduce { _ in
          log.append("first begins")
          entered.open()
          leave.wait()
          log.append("first ends")
        }
      }
      entered.wait()
      let other = Beside { dispatcher.reduce { _ in log.append("second") } }
      leave.open()
      beside.join()
      other.join()

      #expect(log.entries == ["first begins", "first ends", "second"])
      withExtendedLifetime(store) {}
    }
  }

  // D2

  @Test func invokeReturnsAfterReduceAndObservers() {
    isolated { _ in
      let store = CounterStore.instantiate()
      let log = Log<Int>()
      let dust = store.count.observe { log.append($0) }

      CounterAction().invoke(.add(2))

      #expect(store.count.value == 2)
      #expect(log.entries == [0, 2])
      dust.clean()
    }
  }

  // D3

  @Test func invokeInsideReduceWaitsForItsEnd() {
    isolated { dispatcher in
      let store = ScriptStore.instantiate()
      let log = Log<String>()

      dispatcher.reduce { _ in
        log.append("outer begins")
        dispatcher.reduce { _ in
          log.append("inner begins")
          dispatcher.reduce { _ in log.append("innermost") }
          log.append("inner ends")
        }
        dispatcher.reduce { _ in log.append("second inner") }
        log.append("outer ends")
      }

      let expected = [
        "outer begins", "outer ends", "inner begins", "inner ends", "second inner", "innermost",
      ]
      #expect(log.entries == expected)
      withExtendedLifetime(store) {}
    }
  }

  @Test func stateInvokedInsideReduceReachesObserversAsAChangeOfItsOwn() {
    isolated { dispatcher in
      let store = ScriptStore.instantiate()
      let log = Log<Int>()
      let dust = store.first.observe(ignoreFirst: true) { log.append($0) }

      dispatcher.reduce { store in
        dispatcher.reduce { $0.first.value = 2 }
        store.first.value = 1
      }

      #expect(log.entries == [1, 2])
      dust.clean()
    }
  }

  @Test func chainOfStatesInvokedByObserversRunsInConstantStack() {
    isolated { dispatcher in
      let store = CounterStore.instantiate()
      let dust = Log<Dust>()

      inParallel(1, stackSize: 256 * 1024) { _ in
        dust.append(
          store.count.observe { count in
            if count < 100_000 { dispatcher.dispatch(Dispatcher.Counter.add(1)) }
          }
        )
      }

      #expect(store.count.value == 100_000)
      dust.entries.forEach { $0.clean() }
    }
  }

  @Test func chainOfStatesInvokedByReducesRunsInConstantStack() {
    isolated { dispatcher in
      let store = ScriptStore.instantiate()

      inParallel(1, stackSize: 256 * 1024) { _ in dispatcher.reduce(countUp) }

      #expect(store.first.value == 100_000)

      @Sendable func countUp(_ store: ScriptStore) {
        store.first.value += 1
        if store.first.value < 100_000 { dispatcher.reduce(countUp) }
      }
    }
  }

  @Test func statesInvokedByAReduceAreToldOneByOne() {
    isolated { dispatcher in
      let store = ScriptStore.instantiate()
      let log = Log<[Int]>()
      let dust = store.first.observe(ignoreFirst: true) { log.append([$0, store.second.value]) }

      dispatcher.reduce { store in
        for value in 2...3 {
          dispatcher.reduce { store in
            store.first.value = value
            store.second.value = value
          }
        }
        store.first.value = 1
        store.second.value = 1
      }

      #expect(log.entries == [[1, 1], [2, 2], [3, 3]])
      dust.clean()
    }
  }

  // D4

  @Test func observersAreToldOncePerDispatchWithTheLastValue() {
    isolated { dispatcher in
      let store = ScriptStore.instantiate()
      let first = Log<Int>()
      let second = Log<Int>()
      let dusts = DustBuster()
      store.first.observe(ignoreFirst: true) { first.append($0) }.cleaned(by: dusts)
      store.second.observe(ignoreFirst: true) { second.append($0) }.cleaned(by: dusts)

      dispatcher.reduce { store in
        for value in 1...5 { store.first.value = value }
        #expect(first.entries.isEmpty)
      }

      #expect(first.entries == [5])
      #expect(second.entries.isEmpty)
    }
  }

  @Test func observersSeeTheStateAfterTheReduceNeverAHalf() {
    isolated { _ in
      let store = CounterStore.instantiate()
      let log = Log<[Int]>()
      let dusts = DustBuster()
      let record: @Sendable (Int) -> Void = { _ in
        log.append([store.count.value, store.doubled.value])
      }
      store.count.observe(ignoreFirst: true, changes: record).cleaned(by: dusts)
      store.doubled.observe(ignoreFirst: true, changes: record).cleaned(by: dusts)

      CounterAction().invoke(.set(3))

      #expect(log.entries == [[3, 6], [3, 6]])
    }
  }

  @Test func transactionTellsOnceAndReturnsItsResult() {
    let dispatcher = Dispatcher()
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { log.append($0) }

    let result = dispatcher.transaction {
      variable.value = 1
      dispatcher.transaction { variable.value = 2 }
      #expect(log.entries.isEmpty)
      return "done"
    }

    #expect(result == "done")
    #expect(log.entries == [2])
    dust.clean()
  }

  @Test func transactionThatThrowsKeepsAndTellsWhatItWrote() {
    struct Failure: Error, Equatable {}
    let dispatcher = Dispatcher()
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { log.append($0) }

    #expect(throws: Failure()) {
      try dispatcher.transaction {
        variable.value = 1
        throw Failure()
      }
    }
    variable.value = 2

    #expect(log.entries == [1, 2])
    dust.clean()
  }

  @Test func invokeInsideTransactionIsReducedAtOnceAndJoinsIt() {
    isolated { dispatcher in
      let store = CounterStore.instantiate()
      let log = Log<Int>()
      let dust = store.count.observe(ignoreFirst: true) { log.append($0) }

      dispatcher.transaction {
        CounterAction().invoke(.add(1))
        #expect(store.count.value == 1)
        CounterAction().invoke(.add(1))
        #expect(log.entries.isEmpty)
      }

      #expect(log.entries == [2])
      dust.clean()
    }
  }

  @Test func transactionInsideObserverIsToldAfterTheRound() {
    let dispatcher = Dispatcher()
    let source = Variable(0)
    let target = Variable(0)
    let log = Log<String>()
    let dusts = DustBuster()
    target.observe(ignoreFirst: true) { log.append("target \($0)") }.cleaned(by: dusts)
    source.observe(ignoreFirst: true) { value in
      dispatcher.transaction { target.value = value }
      log.append("source \(value), target is \(target.value)")
    }.cleaned(by: dusts)

    source.value = 1

    #expect(log.entries == ["source 1, target is 1", "target 1"])
  }

  @Test func writeOfAnotherThreadKeepsItsPlaceBesideAnOpenTransaction() {
    let dispatcher = Dispatcher()
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { log.append($0) }

    dispatcher.transaction {
      variable.value = 1
      Beside { variable.value = 10 }.join()
      #expect(log.entries.isEmpty)
    }
    dispatcher.transaction {
      variable.value = 2
      Beside { variable.value = 20 }.join()
      variable.value = 3
      #expect(log.entries == [1, 10])
    }

    #expect(log.entries == [1, 10, 20, 3])
    #expect(variable.value == 3)
    dust.clean()
  }

  @Test func endOfAValueInATransactionMayOpenAnother() {
    let dispatcher = Dispatcher()
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { log.append($0) }

    dispatcher.transaction {
      let holder = Variable(AtEnd { dispatcher.transaction { variable.value = 1 } })
      let dust = holder.observe(ignoreFirst: true) { _ in }
      holder.modify { _ in }
      dust.clean()
    }
    #expect(log.entries == [1])
    variable.value = 2

    #expect(log.entries == [1, 2])
    dust.clean()
  }

  @Test func lastReferenceToAStoreThatGoesInItsReduceIsReleasedAfterTheTurn() {
    isolated { dispatcher in
      let log = Log<String>()
      let holder = Log<HoldingStore>()
      holder.append(HoldingStore.instantiate())
      holder.entries[0].held.value = AtEnd {
        Beside { dispatcher.read { log.append("read") } }.join()
      }

      dispatcher.dispatch(HoldingStore.State.run { holder.removeAll() })

      #expect(log.entries == ["read"])
    }
  }

  @Test func readExcludesReduces() {
    isolated { dispatcher in
      let store = CounterStore.instantiate()
      let reads = dispatcher.read {
        let before = store.count.value
        let started = Gate()
        let beside = Beside {
          started.open()
          dispatcher.dispatch(Dispatcher.Counter.add(1))
        }
        started.wait()
        CounterAction().invoke(.add(10))
        return (before, store.count.value, beside)
      }
      reads.2.join()

      #expect(reads.0 == 0)
      #expect(reads.1 == 0)
      #expect(store.count.value == 11)
    }
  }

  @Test func readRethrowsWhatItsBodyThrows() {
    struct Failure: Error, Equatable {}

    #expect(throws: Failure()) { try Dispatcher().read { throw Failure() } }
  }

  // D5

  @Test func stateWithoutStoreDoesNotWaitForTheTurn() {
    isolated { dispatcher in
      let store = ScriptStore.instantiate()

      dispatcher.reduce { _ in
        Beside { dispatcher.dispatch(Dispatcher.Counter.add(1)) }.join()
      }

      withExtendedLifetime(store) {}
    }
  }

  // Shared

  @Test func sharedIsReplacedForTheTaskAndItsChildren() async {
    let dispatcher = Dispatcher()
    let outer = Dispatcher.shared

    await withDispatcher(dispatcher) {
      #expect(Dispatcher.shared === dispatcher)
      #expect(CounterAction().dispatcher === dispatcher)
      async let child = Dispatcher.shared
      #expect(await child === dispatcher)
      let inner = Dispatcher()
      withDispatcher(inner) { #expect(Dispatcher.shared === inner) }
    }

    #expect(Dispatcher.shared === outer)
  }

  @Test func dispatchersDoNotShareStores() {
    let stores = (0..<2).map { _ in
      isolated { _ in
        let store = CounterStore.instantiate()
        CounterAction().invoke(.add(1))
        return store
      }
    }

    #expect(stores[0] !== stores[1])
    #expect(stores.map(\.count.value) == [1, 1])
  }
}

/// A store with something whose end can be seen.
private final class HoldingStore: Storable {
  enum State: DispatchState {
    typealias RelatedStoreType = HoldingStore
    typealias RelatedActionType = Action

    case run(@Sendable () -> Void)
  }

  struct Action: Actionable {
    typealias DispatchStateType = State
  }

  let held = Variable<AtEnd?>(nil)

  func reduce(with state: State) {
    switch state {
    case .run(let body): body()
    }
  }
}
