import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// Promise D4: a dispatch, like `transaction`, delivers all its writes together at its end.
@Suite(.isolatedDispatcher)
struct TransactionTests {
  private let dispatcher = Dispatcher.shared

  @Test func observersReceiveOnlyTheLastValueOfEachVariableAfterAReduce() {
    let store = ScriptStore.instantiate()
    let first = ValueRecorder(store.first, ignoreFirst: true)
    let second = ValueRecorder(store.second, ignoreFirst: true)

    dispatcher.reduce { store in
      for value in 1...5 { store.first.value = value }
      #expect(first.values.isEmpty)
    }

    #expect(first.values == [5])
    #expect(second.values.isEmpty)
  }

  @Test func observerOfOneVariableReadsTheFinalValuesOfAllVariablesOfTheReduce() {
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

  @Test func transactionDeliversOneChangePerVariableAndReturnsTheResultOfItsBody() {
    let variable = Variable(0)
    let recorder = ValueRecorder(variable, ignoreFirst: true)

    let result = dispatcher.transaction {
      variable.value = 1
      dispatcher.transaction { variable.value = 2 }
      #expect(recorder.values.isEmpty)
      return "done"
    }

    #expect(result == "done")
    #expect(recorder.values == [2])
  }

  @Test func transactionThatThrowsStillDeliversItsWrites() {
    struct Failure: Error, Equatable {}
    let variable = Variable(0)
    let recorder = ValueRecorder(variable, ignoreFirst: true)

    #expect(throws: Failure()) {
      try dispatcher.transaction {
        variable.value = 1
        throw Failure()
      }
    }
    variable.value = 2

    #expect(recorder.values == [1, 2])
  }

  @Test func stateInvokedInsideATransactionIsReducedImmediatelyAndDeliveredWithTheTransaction() {
    let store = CounterStore.instantiate()
    let recorder = ValueRecorder(store.count, ignoreFirst: true)

    dispatcher.transaction {
      CounterAction().invoke(.add(1))
      #expect(store.count.value == 1)
      CounterAction().invoke(.add(1))
      #expect(recorder.values.isEmpty)
    }

    #expect(recorder.values == [2])
  }

  @Test func transactionInsideAnObserverIsDeliveredAfterTheObserverReturns() {
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

  @Test func writeOfAnotherThreadDuringATransactionBelongsToTheTransactionsChange() {
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
      #expect(log.entries == [10])
    }

    #expect(log.entries == [10, 3])
    #expect(variable.value == 3)
    dust.clean()
  }

  @Test func transactionInTheDeinitOfAValueThatATransactionReleasesIsDelivered() {
    let variable = Variable(0)
    let recorder = ValueRecorder(variable, ignoreFirst: true)

    dispatcher.transaction {
      let holder = Variable(AtEnd { dispatcher.transaction { variable.value = 1 } })
      let dust = holder.observe(ignoreFirst: true) { _ in }
      holder.modify { _ in }
      dust.clean()
    }
    #expect(recorder.values == [1])
    variable.value = 2

    #expect(recorder.values == [1, 2])
  }

  @Test func transactionFreesItsValuesWithoutBlockingReadsOfOtherThreads() {
    let log = Log<String>()

    dispatcher.transaction {
      let first = Variable(AtEnd { dispatcher.transaction { dispatcher.transaction {} } })
      let second = Variable(AtEnd { Beside { dispatcher.read { log.append("read") } }.join() })
      let dusts = [first, second].map { $0.observe(ignoreFirst: true) { _ in } }
      first.modify { _ in }
      second.modify { _ in }
      dusts.forEach { $0.clean() }
    }

    #expect(log.entries == ["read"])
  }

  @Test func storeReleasedByItsOwnReduceIsFreedWithoutBlockingReadsOfOtherThreads() {
    let log = Log<String>()
    let holder = Log<HoldingStore>()
    holder.append(HoldingStore.instantiate())
    holder.entries[0].held.value = AtEnd {
      Beside { dispatcher.read { log.append("read") } }.join()
    }

    dispatcher.dispatch(HoldingStore.State.run { holder.removeAll() })

    #expect(log.entries == ["read"])
  }

  @Test func dispatcherReadDelaysReducesUntilTheReadEnds() {
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

  /// The observer of `x` writes to `y` before the transaction's change of `y` has been delivered.
  @Test(
    arguments: [
      { $0.value = 2 },
      { $0.modify { $0 = 2 } },
      { variable in Dispatcher().transaction { variable.value = 2 } },
    ] as [@Sendable (Variable<Int>) -> Void]
  )
  func writesInsideAnObserverAreDeliveredInOrderAfterTheTransactionsPendingChanges(
    write: @escaping @Sendable (Variable<Int>) -> Void
  ) {
    let (x, y, z) = (Variable(0), Variable(0), Variable(0))
    let log = Log<String>()
    let dusts = DustBuster()
    x.observe(ignoreFirst: true) { _ in
      write(y)
      write(z)
    }.cleaned(by: dusts)
    y.observe(ignoreFirst: true) { log.append("y = \($0)") }.cleaned(by: dusts)
    z.observe(ignoreFirst: true) { log.append("z = \($0)") }.cleaned(by: dusts)

    Dispatcher().transaction {
      x.value = 1
      y.value = 1
    }

    #expect(log.entries == ["y = 1", "y = 2", "z = 2"])
  }

  @Test func setInsideAnObserverIsDeliveredBeforeALaterDispatchOfThatObserver() {
    let store = ScriptStore.instantiate()
    let x = Variable(0)
    let log = Log<String>()
    let dusts = DustBuster()
    x.observe(ignoreFirst: true) { _ in
      store.first.value = 2
      dispatcher.reduce { $0.second.value = 2 }
    }.cleaned(by: dusts)
    store.first.observe(ignoreFirst: true) { log.append("first = \($0)") }.cleaned(by: dusts)
    store.second.observe(ignoreFirst: true) { log.append("second = \($0)") }.cleaned(by: dusts)

    dispatcher.reduce { store in
      x.value = 1
      store.first.value = 1
    }

    #expect(log.entries == ["first = 1", "first = 2", "second = 2"])
  }

  @Test func dispatcherReadRethrowsTheErrorOfItsBody() {
    struct Failure: Error, Equatable {}

    #expect(throws: Failure()) { try Dispatcher().read { throw Failure() } }
  }
}

/// A store with an object that tells the test when the store is freed.
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
