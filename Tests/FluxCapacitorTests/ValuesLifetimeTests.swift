import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// How asynchronous sequences end, and when they free their values.
@Suite(.timeLimit(.minutes(20)))
struct ValuesLifetimeTests {
  private let tally = Tally()

  // MARK: End of a sequence

  @Test @MainActor func cancellingATaskThatAwaitsAValueFreesItsBufferedValuesImmediately() async {
    let variable = Variable(Counted(tally))
    let log = Log<Int>()
    let consumer = Task { @MainActor in
      for await _ in variable.values(buffering: .unbounded) { log.append(1) }
      log.append(2)
    }
    await untilItWaits { log.entries == [1] }

    consumer.cancel()
    for _ in 0..<3 { variable.value = Counted(tally) }

    #expect(tally.value == 1)
    await consumer.value
    #expect(log.entries == [1, 2])
  }

  @Test func iteratorEndedByACancelledTaskReturnsNilInEveryOtherTask() async {
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

  @Test func leavingAForAwaitLoopFreesItsBufferedValues() async {
    let variable = Variable(Counted(tally))

    for await _ in variable.values(buffering: .unbounded) { break }
    for _ in 0..<3 { variable.value = Counted(tally) }

    #expect(tally.value == 1)
  }

  @Test func endedConsumersOfValuesLeaveNoMemoryAllocated() async {
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

      await consume(20_000)

      // The observations of 40,000 leaked consumers would take about 16 MB.
      #expect(residentBytes() - before < 4_000_000)
    }
  }

  @Test(.isolatedDispatcher) func valuesIteratorKeepsNoStoreAlive() {
    weak var store: CounterStore?
    let iterator = {
      let made = CounterStore.instantiate()
      store = made
      return Carried(made.count.values.makeAsyncIterator())
    }()

    #expect(store == nil)
    withExtendedLifetime(iterator) {}
  }

  // MARK: Dropped values

  @Test(arguments: [BufferingPolicy.bufferingNewest(1), .bufferingOldest(1)])
  func valuesDroppedFromTheBufferAreFreedImmediately(policy: BufferingPolicy) {
    let variable = Variable(Counted(tally))
    let iterator = variable.values(buffering: policy).makeAsyncIterator()

    for _ in 0..<5 { variable.value = Counted(tally) }

    #expect(tally.value == (policy == .bufferingNewest(1) ? 1 : 2))
    withExtendedLifetime(iterator) {}
  }

  @Test(arguments: [BufferingPolicy.bufferingNewest(1), .bufferingOldest(1), .unbounded])
  func deinitOfABufferedValueWritesToTheVariableWithoutDeadlock(policy: BufferingPolicy) async {
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

  @Test func deinitOfAValueDroppedFromTheBufferEndsTheIteratorWithoutDeadlock() {
    let variable = Variable<AtEnd?>(nil)
    let holder = Log(Carried(variable.values(buffering: .bufferingNewest(2)).makeAsyncIterator()))

    variable.value = AtEnd { holder.removeAll() }
    for _ in 0..<3 { variable.value = nil }

    #expect(holder.entries.isEmpty)
  }
}
