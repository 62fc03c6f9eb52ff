import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// Constants that depend on their previous value, and observers that subscribe before a pending delivery.
struct DerivedHistoryTests {
  private let dusts = DustBuster()

  /// Derives a constant that drops each value within 0.5 of the previous value.
  private func steady(_ variable: Variable<Double>) -> Constant<Double> {
    variable.removeDuplicates { abs($0 - $1) < 0.5 }
  }

  @Test
  func removeDuplicatesObserverThatSubscribesBeforeAPendingDeliveryStartsWithTheDeliveredValue() {
    let (variable, trigger) = (Variable(1.0), Variable(0))
    let constant = steady(variable)
    let (log, all) = (Log<Double>(), Log<Double>())
    constant.observe { all.append($0) }.cleaned(by: dusts)
    trigger.observe(ignoreFirst: true) { [dusts] _ in
      // The library delivers 1.4 after this observer returns.
      variable.value = 1.4
      constant.observe { log.append($0) }.cleaned(by: dusts)
    }.cleaned(by: dusts)

    trigger.value = 1

    #expect(all.entries == [1])
    #expect(log.entries == [1])
    #expect(constant.value == 1)
  }

  @Test func removeDuplicatesObserverThatSubscribesDuringATransactionStartsWithTheDeliveredValue() {
    let variable = Variable(1.0)
    let constant = steady(variable)
    let (log, all) = (Log<Double>(), Log<Double>())
    constant.observe { all.append($0) }.cleaned(by: dusts)

    Dispatcher().transaction {
      variable.value = 1.4
      constant.observe { log.append($0) }.cleaned(by: dusts)
    }

    #expect(all.entries == [1])
    #expect(log.entries == [1])
  }

  @Test func combinedConstantFirstObservedDuringATransactionDeliversTheCommittedValues() {
    let (first, second) = (Variable(0), Variable(0))
    let distinct = first.removeDuplicates()
    distinct.observe { _ in }.cleaned(by: dusts)
    let log = Log<[Int]>()

    Dispatcher().transaction {
      first.value = 5
      Constant.combine(distinct, Constant(second)).observe { log.append([$0, $1]) }
        .cleaned(by: dusts)
      first.value = 0
    }
    second.value = 1

    #expect(log.entries == [[5, 0], [0, 0], [0, 1]])
  }

  // Deliveries while another observer runs

  @Test func writeOnAnotherThreadIsDeliveredWhileAnObserverThatWroteTheSameVariableStillRuns() {
    let (variable, trigger) = (Variable(0), Variable(0))
    let log = Log<Int>()
    variable.observe(ignoreFirst: true) { log.append($0) }.cleaned(by: dusts)
    trigger.observe(ignoreFirst: true) { _ in
      Dispatcher().transaction { variable.value = 1 }
      Beside { variable.value = 2 }.join()
      #expect(log.entries == [1, 2])
    }.cleaned(by: dusts)

    trigger.value = 1

    #expect(log.entries == [1, 2])
  }

  @Test func combinedConstantDeliversAnotherThreadsWriteWhileAnObserverThatWroteASourceStillRuns() {
    let (first, second, trigger) = (Variable(0), Variable(0), Variable(0))
    let log = Log<[Int]>()
    Constant.combine(Constant(first), Constant(second)).observe(ignoreFirst: true) {
      log.append([$0, $1])
    }.cleaned(by: dusts)
    trigger.observe(ignoreFirst: true) { _ in
      first.value = 1
      Beside { second.value = 2 }.join()
      #expect(log.entries == [[1, 0], [1, 2]])
    }.cleaned(by: dusts)

    trigger.value = 1

    #expect(log.entries == [[1, 0], [1, 2]])
  }

  @Test func pendingChangeIsDeliveredByTheNextWriterWhileAnUnrelatedObserverStillRuns() {
    let (variable, other) = (Variable(0), Variable(0))
    let log = Log<Int>()
    // The second thread leaves the value 2 pending. In the delivering thread's queue, the value 2 comes
    // after the change of `other`.
    variable.observe(ignoreFirst: true) { value in
      log.append(value)
      guard value == 1 else { return }
      other.value = 1
      Beside { variable.value = 2 }.join()
    }.cleaned(by: dusts)
    other.observe(ignoreFirst: true) { _ in
      #expect(log.entries == [1])
      Beside { variable.value = 3 }.join()
      #expect(log.entries == [1, 2, 3])
    }.cleaned(by: dusts)

    variable.value = 1

    #expect(log.entries == [1, 2, 3])
  }
}
