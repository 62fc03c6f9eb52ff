import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

struct DerivedTests {
  private let source = Variable(1)
  private let count = Tally()
  private let log = Log<Int>()
  private let dusts = DustBuster()

  // Unobserved

  @Test func readOfADerivedConstantComputesOnlyIfItsSourceHasChanged() {
    let doubled = source.map(counting: count) { $0 * 2 }
    #expect(count.value == 0)

    #expect([doubled.value, doubled.value] == [2, 2])
    #expect(count.value == 1)
    source.value = 2
    #expect(count.value == 1)
    #expect([doubled.value, doubled.value] == [4, 4])
    #expect(count.value == 2)
  }

  @Test func readOfRemoveDuplicatesReturnsTheSourcesValueUntilAnEqualValueIsDelivered() {
    let source = Variable(11)
    let tens = source.removeDuplicates { $0 / 10 == $1 / 10 }

    #expect(tens.value == 11)
    source.value = 12
    #expect(tens.value == 12)
    let dust = tens.observe { _ in }
    source.value = 13
    #expect(tens.value == 12)
    dust.clean()
    source.value = 14
    #expect(tens.value == 14)
  }

  @Test func readOfADerivedConstantInsideATransactionReflectsTheTransactionsWrites() {
    let doubled = source.map { $0 * 2 }
    let recorder = ValueRecorder(doubled)

    Dispatcher().transaction {
      source.value = 2
      #expect(doubled.value == 4)
      source.value = 3
      #expect(doubled.value == 6)
    }

    #expect(recorder.values == [2, 6])
  }

  // Observed

  @Test func observersOfADerivedConstantShareOneComputationPerChange() {
    let doubled = source.map(counting: count) { $0 * 2 }
    doubled.observe { [log] in log.append($0) }.cleaned(by: dusts)
    doubled.observe { [log] in log.append(-$0) }.cleaned(by: dusts)

    source.value = 2
    #expect(doubled.value == 4)
    source.value = 2

    #expect(log.entries == [2, -2, 4, -4, 4, -4])
    #expect(count.value == 3)
  }

  @Test func readDuringADroppedDuplicateReturnsTheLastDistinctValue() {
    let source = Variable(11)
    let tens = source.removeDuplicates { $0 / 10 == $1 / 10 }
    let copy = tens.map { $0 }
    source.observe(ignoreFirst: true) { _ in _ = copy.value }.cleaned(by: dusts)
    copy.observe { [log] in log.append($0) }.cleaned(by: dusts)

    source.value = 12

    #expect(log.entries == [11])
    #expect(copy.value == 11)
    #expect(tens.value == 11)
  }

  @Test func observeWithIgnoreFirstComputesNoInitialValueOfADerivedConstant() {
    let dust = source.map(counting: count) { $0 * 2 }
      .map { $0 + 1 }
      .observe(ignoreFirst: true) { [log] in log.append($0) }

    #expect(count.value == 0)
    source.value = 2

    #expect(log.entries == [5])
    #expect(count.value == 1)
    dust.clean()
  }

  @Test func removeDuplicatesDeliversOnlyValuesThatDifferFromThePreviousValue() {
    let recorder = ValueRecorder(source.removeDuplicates())
    let ignoring = ValueRecorder(source.removeDuplicates(), ignoreFirst: true)

    for value in [1, 2, 2, 3, 3, 1] { source.value = value }

    #expect(recorder.values == [1, 2, 3, 1])
    #expect(ignoring.values == [2, 3, 1])
  }

  @Test func removeDuplicatesByAPredicateDeliversOnlyTheFirstOfConsecutiveEqualValues() {
    let source = Variable("a")
    let unique = source.removeDuplicates { $0.lowercased() == $1.lowercased() }
    let recorder = ValueRecorder(unique)

    for value in ["A", "b", "B", "b"] { source.value = value }

    #expect(recorder.values == ["a", "b"])
    #expect(unique.value == "b")
  }

  @Test func changeDroppedByRemoveDuplicatesDoesNotRecomputeDownstreamConstants() {
    let other = Variable("a")
    let parity = source.map { $0 % 2 }.removeDuplicates()
    let combined = Constant.combine(parity, Constant(other)).map(counting: count) { "\($0)\($1)" }
    let recorder = ValueRecorder(combined)

    source.value = 3
    other.value = "b"
    source.value = 4

    #expect(recorder.values == ["1a", "1b", "0b"])
    #expect(count.value == 3)
  }

  @Test func observerOnAQueueReceivesChangesOnlyAfterTheInitialValueHasBeenComputed() {
    let source = Variable(0)
    let queue = DispatchQueue(label: "observer")

    source.map { value in
      guard value == 0 else { return value }
      Beside {
        source.value = 1
        source.value = 2
      }.join()
      queue.sync {}
      return value
    }.observe(on: .queue(queue)) { [log] in log.append($0) }
      .cleaned(by: dusts)
    queue.sync {}

    #expect(log.entries == [0, 1, 2])
  }
}
