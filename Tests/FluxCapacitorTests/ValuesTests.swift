import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ValuesTests {
  private let variable = Variable(0)

  // MARK: Received values

  @Test func unboundedValuesSequenceStartsWithTheCurrentValueAndContainsEveryChange() async {
    var iterator = Constant(variable).values(buffering: .unbounded).makeAsyncIterator()

    for value in [1, 1, 2] { variable.value = value }

    #expect(await iterator.next(4) == [0, 1, 1, 2])
  }

  @Test func slowConsumerOfValuesReceivesOnlyTheNewestValueByDefault() async {
    var iterator = variable.values.makeAsyncIterator()
    variable.value = 1
    variable.value = 2
    let first = await iterator.next()

    for value in 3...5 { variable.value = value }

    #expect(first == 2)
    #expect(await iterator.next() == 5)
  }

  @Test func bufferingNewestDropsTheOldestValuesWhenTheBufferIsFull() async {
    var iterator = variable.values(buffering: .bufferingNewest(3)).makeAsyncIterator()

    for value in 1...5 { variable.value = value }

    #expect(await iterator.next(3) == [3, 4, 5])
  }

  @Test func bufferingOldestRetainsTheOldestValuesAndTheLastValue() async {
    var iterator = variable.values(buffering: .bufferingOldest(3)).makeAsyncIterator()

    for value in 1...5 { variable.value = value }
    let first = await iterator.next()
    for value in 6...9 { variable.value = value }

    #expect(first == 0)
    #expect(await iterator.next(4) == [1, 2, 5, 9])
  }

  @Test func eachIteratorStartsWithTheValueAtItsCreationAndReceivesEveryChange() async {
    let values = variable.values(buffering: .unbounded)
    var early = values.makeAsyncIterator()
    variable.value = 1
    var late = values.makeAsyncIterator()
    variable.value = 2

    #expect(await early.next(3) == [0, 1, 2])
    #expect(await late.next(2) == [1, 2])
  }

  @Test func valuesSequenceReceivesATransactionAsOneChange() async {
    var iterator = variable.values(buffering: .unbounded).makeAsyncIterator()

    Dispatcher().transaction { for value in 1...3 { variable.value = value } }
    variable.value = 4

    #expect(await iterator.next(3) == [0, 3, 4])
  }

  @Test @MainActor func iteratorReturnsABufferedValueWithoutLeavingTheActor() async {
    let log = Log<String>()
    var iterator = variable.values(buffering: .unbounded).makeAsyncIterator()
    variable.value = 1
    let other = Task { @MainActor in log.append("other") }

    for _ in 0..<2 {
      let value = await iterator.next(isolation: MainActor.shared)
      log.append(value.map { "\($0)" } ?? "nil")
    }

    await other.value
    #expect(log.entries == ["0", "1", "other"])
  }

  // MARK: Programming errors

  @Test(arguments: [true, false]) func bufferingPolicyWithZeroValuesTraps(ofNewest: Bool) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [ofNewest] in
      _ = ofNewest ? BufferingPolicy.bufferingNewest(0) : .bufferingOldest(0)
    }

    expectSentence(in: result, "keep 0 values", "must be at least 1")
  }

  @Test func twoTasksThatAwaitTheSameIteratorTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let variable = Variable(0)
      let iterator = Carried(variable.values.makeAsyncIterator())
      let tasks = (0..<2).map { _ in
        Task {
          var iterator = iterator.value
          while await iterator.next() != nil {}
        }
      }
      for task in tasks { await task.value }
    }

    expectSentence(in: result, "one iterator of Values<Int>")
  }
}
