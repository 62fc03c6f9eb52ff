import FluxCapacitor
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ValuesTests {
  // MARK: What arrives

  @Test func currentValueComesFirstAndThenEveryChangeInOrder() async {
    let variable = Variable(0)
    var iterator = Constant(variable).values(buffering: .unbounded).makeAsyncIterator()

    for value in [1, 1, 2] { variable.value = value }

    #expect(await iterator.next(4) == [0, 1, 1, 2])
  }

  @Test func slowConsumerSkipsToTheNewestUnlessToldOtherwise() async {
    let variable = Variable(0)
    var iterator = variable.values.makeAsyncIterator()
    variable.value = 1
    variable.value = 2
    let first = await iterator.next()

    for value in 3...5 { variable.value = value }

    #expect(first == 2)
    #expect(await iterator.next() == 5)
  }

  @Test func bufferingNewestKeepsTheNewest() async {
    let variable = Variable(0)
    var iterator = variable.values(buffering: .bufferingNewest(3)).makeAsyncIterator()

    for value in 1...5 { variable.value = value }

    #expect(await iterator.next(3) == [3, 4, 5])
  }

  @Test func bufferingOldestKeepsTheOldestAndThenTheLast() async {
    let variable = Variable(0)
    var iterator = variable.values(buffering: .bufferingOldest(3)).makeAsyncIterator()

    for value in 1...5 { variable.value = value }
    let first = await iterator.next()
    for value in 6...9 { variable.value = value }

    #expect(first == 0)
    #expect(await iterator.next(4) == [1, 2, 5, 9])
  }

  @Test func eachIteratorIsAConsumerOfItsOwn() async {
    let variable = Variable(0)
    let values = variable.values(buffering: .unbounded)
    var early = values.makeAsyncIterator()
    variable.value = 1
    var late = values.makeAsyncIterator()
    variable.value = 2

    #expect(await early.next(3) == [0, 1, 2])
    #expect(await late.next(2) == [1, 2])
  }

  @Test func transactionIsOneChange() async {
    let variable = Variable(0)
    var iterator = variable.values(buffering: .unbounded).makeAsyncIterator()

    Dispatcher().transaction { for value in 1...3 { variable.value = value } }
    variable.value = 4

    #expect(await iterator.next(3) == [0, 3, 4])
  }

  @Test @MainActor func waitingConsumerIsResumed() async {
    let variable = Variable(0)
    let log = Log<Int>()
    let consumer = Task { @MainActor in
      for await value in variable.values { log.append(value) }
    }
    await untilItWaits { log.entries == [0] }

    variable.value = 1
    await untilItWaits { log.entries == [0, 1] }

    consumer.cancel()
    await consumer.value
    #expect(log.entries == [0, 1])
  }

  @Test @MainActor func takingWhatIsThereDoesNotLeaveTheActor() async {
    let variable = Variable(0)
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

  // MARK: How it ends

  @Test @MainActor func cancellingTheTaskThatWaitsFreesItsValuesAtOnce() async {
    let tally = Counted.Tally()
    let variable = Variable(Counted(tally))
    let log = Log<Int>()
    let consumer = Task { @MainActor in
      for await _ in variable.values(buffering: .unbounded) { log.append(1) }
      log.append(2)
    }
    await untilItWaits { log.entries == [1] }

    consumer.cancel()
    for _ in 0..<3 { variable.value = Counted(tally) }

    #expect(tally.count == 1)
    await consumer.value
    #expect(log.entries == [1, 2])
  }

  @Test func cancelledTaskGetsNothingEvermore() async {
    let variable = Variable(0)
    let got = await Task {
      var iterator = variable.values(buffering: .unbounded).makeAsyncIterator()
      withUnsafeCurrentTask { $0?.cancel() }
      let first = await iterator.next()
      variable.value = 1
      return [first, await iterator.next()]
    }.value

    #expect(got == [nil, nil])
  }

  @Test func iteratorThatWasCancelledEndsForOtherTasksToo() async {
    let variable = Variable(0)
    var iterator = variable.values.makeAsyncIterator()
    let copy = Carried(iterator)
    await Task {
      var iterator = copy.value
      withUnsafeCurrentTask { $0?.cancel() }
      #expect(await iterator.next() == nil)
    }.value

    variable.value = 1

    #expect(await iterator.next() == nil)
  }

  @Test func leavingTheLoopFreesItsValues() async {
    let tally = Counted.Tally()
    let variable = Variable(Counted(tally))

    for await _ in variable.values(buffering: .unbounded) { break }
    for _ in 0..<3 { variable.value = Counted(tally) }

    #expect(tally.count == 1)
  }

  @Test func consumersLeaveNothingBehind() async {
    await #expect(processExitsWith: .success) {
      let variable = Variable(0)
      func consume(_ count: Int) async {
        for round in 0..<count {
          for await _ in variable.values { break }
          await Task {
            if round.isMultiple(of: 2) { withUnsafeCurrentTask { $0?.cancel() } }
            for await _ in variable.values { return }
          }.value
        }
      }
      await consume(1_000)
      let before = residentBytes()

      await consume(50_000)

      // What 100,000 observations take is ten times as much.
      #expect(residentBytes() - before < 4_000_000)
    }
  }

  @Test func valuesInTheBufferComeBeforeTheEnd() async {
    var iterator = {
      let variable = Variable(0)
      let iterator = Carried(Constant(variable).values(buffering: .unbounded).makeAsyncIterator())
      variable.value = 1
      return iterator
    }().value

    #expect(await iterator.next(4) == [0, 1])
  }

  @Test @MainActor func loopEndsWithTheVariable() async {
    let log = Log<Int>()
    let holder = Log(Variable(0))
    let consumer = Task { @MainActor in
      for await value in holder.entries[0].values { log.append(value) }
      log.append(-1)
    }
    await untilItWaits { log.entries == [0] }

    holder.removeAll()
    await consumer.value

    #expect(log.entries == [0, -1])
  }

  @Test func iteratorKeepsNoStoreAlive() {
    isolated { _ in
      weak var store: CounterStore?
      let iterator = {
        let made = CounterStore.instantiate()
        store = made
        return Carried(made.count.values.makeAsyncIterator())
      }()

      #expect(store == nil)
      withExtendedLifetime(iterator) {}
    }
  }

  // MARK: What is thrown away

  @Test(arguments: [BufferingPolicy.bufferingNewest(1), .bufferingOldest(1)])
  func supersededValuesAreFreedAtOnce(policy: BufferingPolicy) {
    let tally = Counted.Tally()
    let variable = Variable(Counted(tally))
    let iterator = variable.values(buffering: policy).makeAsyncIterator()

    for _ in 0..<5 { variable.value = Counted(tally) }

    #expect(tally.count == (policy == .bufferingNewest(1) ? 1 : 2))
    withExtendedLifetime(iterator) {}
  }

  @Test(arguments: [BufferingPolicy.bufferingNewest(1), .bufferingOldest(1), .unbounded])
  func endOfAValueMayWriteToTheSameVariable(policy: BufferingPolicy) async {
    let ended = Log<Int>()
    let variable = Variable<AtEnd?>(nil)
    let write: @Sendable (Int) -> Void = { [weak variable] number in
      ended.append(number)
      variable?.value = nil
    }
    do {
      let iterator = variable.values(buffering: policy).makeAsyncIterator()
      for number in 1...4 { variable.value = AtEnd { write(number) } }
      variable.value = nil
      withExtendedLifetime(iterator) {}
    }

    #expect(ended.entries.sorted() == [1, 2, 3, 4])
  }

  // MARK: Mistakes

  @Test(arguments: [true, false]) func bufferForNoValueTraps(ofNewest: Bool) async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [ofNewest] in
      _ = ofNewest ? BufferingPolicy.bufferingNewest(0) : .bufferingOldest(0)
    }

    let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(printed.contains("keep 0 values"))
    #expect(printed.contains("Let it keep one or more"))
  }

  @Test func twoTasksThatWaitInOneIteratorTrap() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
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

    let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(printed.contains("one iterator of Values<Int>"))
  }
}

extension Values.Iterator {
  /// As many values, or all that come before the end.
  fileprivate mutating func next(_ count: Int) async -> [Element] {
    var values: [Element] = []
    while values.count < count, let value = await next() { values.append(value) }
    return values
  }
}

private func residentBytes() -> Int {
  let statistics = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
  let pages = statistics.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  return pages * Int(getpagesize())
}
