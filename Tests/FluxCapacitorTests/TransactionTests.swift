import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// Promise D4: a dispatch, like `transaction`, delivers all its writes together at its end.
@Suite(.isolatedDispatcher)
struct TransactionTests {
  private let dispatcher = Dispatcher.shared
  private let variable = Variable(0)
  private let dusts = DustBuster()

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
    let record: @Sendable (Int) -> Void = { _ in
      log.append([store.count.value, store.doubled.value])
    }
    store.count.observe(ignoreFirst: true, changes: record).cleaned(by: dusts)
    store.doubled.observe(ignoreFirst: true, changes: record).cleaned(by: dusts)

    CounterAction().invoke(.set(3))

    #expect(log.entries == [[3, 6], [3, 6]])
  }

  @Test func transactionDeliversOneChangePerVariableAndReturnsTheResultOfItsBody() {
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

  @Test func dispatcherReadRethrowsTheErrorOfItsBody() {
    #expect(throws: Failure()) { try dispatcher.read { throw Failure() } }
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
    target.observe(ignoreFirst: true) { log.append("target \($0)") }.cleaned(by: dusts)
    source.observe(ignoreFirst: true) { [dispatcher] value in
      dispatcher.transaction { target.value = value }
      log.append("source \(value), target is \(target.value)")
    }.cleaned(by: dusts)

    source.value = 1

    #expect(log.entries == ["source 1, target is 1", "target 1"])
  }

  @Test func writeOfAnotherThreadDuringATransactionBelongsToTheTransactionsChange() {
    let log = Log<Int>()
    variable.observe(ignoreFirst: true) { log.append($0) }.cleaned(by: dusts)

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
  }

  // Transactions of two dispatchers

  @Test func firstOfTwoTransactionsToEndDeliversTheVariableThatBothHaveWritten() {
    let (first, second) = (Variable(0), Variable(0))
    let log = Log<[Int]>()
    Constant.combine(first, second).observe { log.append([$0, $1]) }.cleaned(by: dusts)

    dispatcher.transaction {
      first.value = 1
      Beside { Dispatcher().transaction { first.value = 10 } }.join()
      second.value = 1
    }

    #expect(log.entries == [[0, 0], [10, 0], [10, 1]])
  }

  @Test func transactionThatWritesASharedVariableAgainDeliversItsWholeChange() {
    let (first, second) = (Variable(0), Variable(0))
    let log = Log<[Int]>()
    Constant.combine(first, second).observe { log.append([$0, $1]) }.cleaned(by: dusts)

    dispatcher.transaction {
      first.value = 1
      second.value = 1
      Beside { Dispatcher().transaction { first.value = 100 } }.join()
      first.value = 2
    }

    #expect(log.entries == [[0, 0], [100, 0], [2, 1]])
  }

  @Test func overlappingTransactionsOfTheSameVariablesAreDelivered() {
    let variables = (0..<100).map { _ in Variable(0) }
    let values = variables.map { _ in Log<Int>() }
    for (variable, values) in zip(variables, values) {
      variable.observe { values.append($0) }.cleaned(by: dusts)
    }

    dispatcher.transaction {
      for variable in variables { variable.value = 1 }
      Beside {
        Dispatcher().transaction { for variable in variables { variable.value = 2 } }
      }.join()
      for variable in variables { variable.value = 3 }
    }

    #expect(values.allSatisfy { $0.entries == [0, 2, 3] })
  }

  // Values and observers

  @Test func changeAfterAReadInATransactionCopiesNoArray() {
    let (numbers, other) = (Variable<[Int]>([]), Variable(0))
    let counts = numbers.map(\.count)
    let constants = [counts, counts.map { $0 }, Constant.combine(counts, other).map(\.0)]
    numbers.modify { $0.reserveCapacity(100) }
    let address = { numbers.modify { $0.withUnsafeBufferPointer(\.baseAddress) } }
    let former = address()

    dispatcher.transaction {
      for number in 1...10 {
        numbers.value.append(number)
        #expect(constants.map(\.value) == [number, number, number])
      }
    }

    #expect(address() == former)
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
}

private struct Failure: Error, Equatable {}
