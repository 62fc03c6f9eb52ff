import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ManualClockTests {
  private let clock = ManualClock()

  @Test func sleepOnAManualClockEndsWhenTheClockPassesTheDeadline() async throws {
    let isAwake = Task {
      try await clock.sleep(for: .seconds(60))
      return clock.now.offset
    }
    #expect(await clock.sleeping() == [.seconds(60)])

    await clock.advance(by: .seconds(59))
    #expect(clock.now.offset == .seconds(59))
    await clock.advance(by: .seconds(2))

    #expect(try await isAwake.value == .seconds(60))
    #expect(clock.now.offset == .seconds(61))
  }

  @Test func sleepOnAManualClockDoesNotEndBeforeTheDeadline() async throws {
    let awake = Variable<[Int]>([])
    let recorder = ValueRecorder(awake, ignoreFirst: true)
    await withTaskGroup { group in
      for seconds in [3, 1, 2] {
        group.addTask {
          try? await clock.sleep(for: .seconds(seconds))
          awake.value.append(seconds)
        }
      }
      await clock.sleeping(3)
      for seconds in 1...3 {
        await clock.advance(by: .seconds(1))
        #expect(await recorder.next() == [Array(1...seconds)])
      }
    }
  }

  @Test @MainActor func taskOfTheMainActorWakesAtEachDeadlineThatAnAdvanceReaches() async throws {
    var instants: [Duration] = []
    let ticks = Task {
      for _ in 1...3 {
        try await clock.sleep(for: .seconds(1))
        instants.append(clock.now.offset)
      }
    }

    await clock.advance(by: .seconds(3))

    #expect(instants == [.seconds(1), .seconds(2), .seconds(3)])
    try await ticks.value
  }

  @Test func timeoutInAChildTaskWakesAtEachDeadlineThatAnAdvanceReaches() async throws {
    let instants = Variable<[Duration]>([])
    let ticks = Task {
      for _ in 1...3 {
        async let pause: Void = clock.sleep(for: .milliseconds(500))
        try await pause
        instants.value.append(clock.now.offset)
      }
    }

    await clock.advance(by: .seconds(2))

    #expect(instants.value == [.milliseconds(500), .seconds(1), .milliseconds(1_500)])
    #expect(clock.now.offset == .seconds(2))
    try await ticks.value
  }

  /// The runtime gives the address of a task that has ended to a later task.
  @Test func tasksBelongToNoTestThatHasEnded() async {
    var clocks: [ManualClock] = []
    for task in (1...500).map({ _ in Task { ManualClock() } }) { clocks.append(await task.value) }
    for second in 1...100 {
      let awake = Variable(0)
      Task {
        Task {
          for _ in 1...10 { await Task.yield() }
          try? await clock.sleep(for: .seconds(1))
          awake.value = second
        }
      }

      await clock.advance(by: .seconds(1))

      #expect(awake.value == second)
    }
    withExtendedLifetime(clocks) {}
  }

  @Test func sleepingAfterAnAdvanceReturnsOnlyTheSleepThatLasts() async {
    let ticks = Task { while true { try await clock.sleep(for: .seconds(2)) } }

    await clock.advance(by: .seconds(5))

    #expect(await clock.sleeping() == [.seconds(2)])
    #expect(clock.sleepersByNow.contains("until 6.0 seconds"))
    ticks.cancel()
  }

  @Test func sleepingAfterASynchronousAdvanceReturnsOnlyTheSleepThatLasts() async {
    let task = Task { [clock] in
      try await clock.sleep(for: .seconds(1))
      try await clock.sleep(for: .seconds(2))
    }
    let isAsleep = { [clock] in !clock.sleepersByNow.isEmpty }
    while !isAsleep() { await Task.yield() }

    let advance = { [clock] in clock.advance(by: .seconds(1)) }
    advance()

    #expect(await clock.sleeping() == [.seconds(2)])
    task.cancel()
  }

  @Test func clockCanSleepAfterTheLongestAdvances() async {
    for _ in 1...2 { await clock.advance(by: Duration(attoseconds: .max)) }
    let advance = { [clock] in clock.advance(by: Duration(attoseconds: .max)) }
    advance()

    let task = Task { try await clock.sleep(for: .seconds(1)) }

    #expect(await clock.sleeping() == [.seconds(1)])
    task.cancel()
  }

  @Test func noAdvanceMovesTheClockBackward() async {
    await clock.advance(by: .seconds(1))

    let advance = { [clock] in clock.advance(by: .seconds(-5)) }
    advance()
    await clock.advance(by: .seconds(-5))

    #expect(clock.now.offset == .seconds(1))
  }

  @Test func sleepOnAManualClockReturnsImmediatelyWhenTheDeadlineIsNow() async throws {
    await clock.advance(by: .seconds(5))

    try await clock.sleep(until: clock.now)
    try await clock.sleep(for: .zero)
  }

  @Test func sleepOnAManualClockThrowsWhenItsTaskIsCancelled() async {
    let sleep = Task { try await clock.sleep(for: .seconds(60)) }
    await clock.sleeping()

    sleep.cancel()

    await #expect(throws: CancellationError.self) { try await sleep.value }
  }

  @Test func sleepOnAManualClockThrowsImmediatelyInACancelledTask() async {
    let sleep = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(60))
    }

    await #expect(throws: CancellationError.self) { try await sleep.value }
  }

  @Test func sleepOnAManualClockEndsOnceWhenCancellationRacesWithAdvancing() async {
    for _ in 0..<stress(20_000) {
      let clock = ManualClock()
      let sleep = Task { try? await clock.sleep(for: .seconds(1)) }
      await withTaskGroup { group in
        group.addTask { sleep.cancel() }
        group.addTask { await clock.advance(by: .seconds(1)) }
      }
      await sleep.value
    }
  }

  @Test func sleepingIgnoresASleepThatWasCancelledBeforeTheCall() async {
    let cancelled = Task { try? await clock.sleep(for: .seconds(1)) }
    let other = Task { try? await clock.sleep(for: .seconds(2)) }
    while clock.sleepersByNow.split(separator: ",").count < 2 { await Task.yield() }
    cancelled.cancel()

    #expect(await clock.sleeping() == [.seconds(2)])
    let failure = await failure { await clock.sleeping(within: .milliseconds(1)) }
    #expect(failure.contains("0 of 1 began."))
    other.cancel()
  }

  @Test func sleepGoesToTheCallThatStillWaits() async {
    _ = await failure {
      async let first = clock.sleeping(2, within: .milliseconds(20))
      async let second = clock.sleeping()
      #expect(await first == [])
      let sleep = Task { try? await clock.sleep(for: .seconds(7)) }
      #expect(await second == [.seconds(7)])
      sleep.cancel()
    }
  }

  @Test func manualClockFailsTheTestWhenTheExpectedSleepDoesNotBeginInTime() async {
    let failure = await failure { await clock.sleeping(within: .milliseconds(1)) }

    #expect(failure == "Waited 0.001 seconds for sleeps on this clock: 0 of 1 began.")
  }

  @Test func failureOfAManualClockNamesTheDeadlinesOfSleepingTasks() async {
    let sleep = Task { try? await clock.sleep(for: .seconds(5)) }
    await clock.sleeping()

    let failure = await failure { await clock.sleeping(within: .milliseconds(1)) }

    #expect(failure.hasSuffix("The clock shows 0.0 seconds. Tasks are sleeping until 5.0 seconds."))
    sleep.cancel()
  }
}
