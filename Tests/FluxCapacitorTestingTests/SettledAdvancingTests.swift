import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct SettledAdvancingTests {
  private let clock = ManualClock()
  private let tasks = DustBuster()
  private let log = Variable<[String]>([])

  private func note(_ name: String) {
    log.value.append("\(name) \(clock.now.offset.components.seconds)")
  }

  @Test func settledAdvancingAClockRunsSleepingWorkInTheOrderOfTheDeadlines() async {
    for seconds in [30, 10, 20] {
      Task {
        try await clock.sleep(for: .seconds(seconds))
        note("a")
        try await clock.sleep(for: .seconds(15))
        note("b")
      }
      .cleaned(by: tasks)
    }

    let hasSettled = await Dispatcher.shared.settled(advancing: clock)

    #expect(hasSettled)
    #expect(log.value == ["a 10", "a 20", "b 25", "a 30", "b 35", "b 45"])
  }

  @Test func settledAdvancingAClockEndsThePausesOfEffectsUnderEachPolicy() async {
    let policies: [Effects.Policy] = [.latest, .first, .serial, .newestWaiting, .concurrent(2)]
    var expected: [Effects.Policy: [String]] = [:]
    expected[.latest] = ["3 1"]
    expected[.first] = ["1 1"]
    expected[.serial] = ["1 1", "2 2", "3 3"]
    expected[.newestWaiting] = ["1 1", "3 2"]
    expected[.concurrent(2)] = ["1 1", "2 1", "3 2"]
    for policy in policies {
      let (clock, effects, log) = (ManualClock(), Effects(policy), Variable<[String]>([]))
      for number in 1...3 {
        effects.run { _ in
          guard (try? await clock.sleep(for: .seconds(1))) != nil else { return }
          log.value.append("\(number) \(clock.now.offset.components.seconds)")
        }
      }

      await Dispatcher.shared.settled(advancing: clock)

      #expect(log.value.sorted() == expected[policy])
      #expect(!effects.isRunning.value)
    }
  }

  @Test func settledAdvancingAClockEndsThePauseOfADebouncedEffect() async {
    let effects = Effects(.latest)
    for number in 1...3 {
      effects.run(after: .milliseconds(300), clock: clock) { _ in note("\(number)") }
    }

    await Dispatcher.shared.settled(advancing: clock)

    #expect(log.value == ["3 0"])
    #expect(clock.now.offset == .milliseconds(300))
  }

  @Test func taskThatPerformsAPausedEffectCountsAsSleeping() async {
    let effects = Effects(.first)
    for _ in 1...2 {
      Task {
        await effects.perform(after: .seconds(1), clock: clock) { _ in note("effect") }
        note("task")
      }
      .cleaned(by: tasks)
    }

    await Dispatcher.shared.settled(advancing: clock)

    #expect(
      log.value.filter { $0.hasPrefix("task") } == ["task 1", "task 1"].prefix(2).map(\.self)
    )
  }

  @Test func clockDoesNotAdvanceWhileAPieceOfWorkIsRunning() async {
    let gate = Gate()
    Task {
      await gate.pass()
      note("gate")
    }
    .cleaned(by: tasks)
    Task {
      try await clock.sleep(for: .seconds(1))
      note("clock")
    }
    .cleaned(by: tasks)
    await clock.sleeping()
    let wait = Task { await Dispatcher.shared.settled(advancing: clock) }
    await gate.reached()
    gate.open()

    #expect(await wait.value)
    #expect(log.value == ["gate 0", "clock 1"])
  }

  @Test func clockDoesNotAdvanceWithoutPendingWork() async {
    let sleeper = Task { try? await clock.sleep(for: .seconds(1)) }
    await clock.sleeping()

    #expect(await Dispatcher.shared.settled(advancing: clock))

    #expect(clock.now.offset == .zero)
    sleeper.cancel()
  }

  @Test func loopThatSleepsForEachElementSettles() async {
    let store = NoteStore.instantiate()
    Task {
      for await text in store.text.values where !text.isEmpty {
        try await clock.sleep(for: .seconds(1))
        note(text)
      }
    }
    .cleaned(by: tasks)

    for text in ["a", "b"] {
      KeepingAction().invoke(.write(text))
      await Dispatcher.shared.settled(advancing: clock)
    }

    #expect(log.value == ["a 1", "b 2"])
  }

  @Test func effectThatWaitsForASleepingEffectCountsAsSleeping() async {
    let (waiting, sleeping, variable) = (Effects(), Effects(), Variable(0))
    waiting.run { _ in
      for await value in variable.values where value == 1 { return note("waited") }
    }
    sleeping.run(after: .seconds(1), clock: clock) { _ in variable.value = 1 }

    #expect(await Dispatcher.shared.settled(advancing: clock))

    #expect(log.value == ["waited 1"])
  }

  @Test func sleepingDoesNotReturnTheSleepsThatSettledHasEnded() async {
    Task { try await clock.sleep(for: .seconds(1)) }.cleaned(by: tasks)
    await Dispatcher.shared.settled(advancing: clock)

    Task { try await clock.sleep(for: .seconds(5)) }.cleaned(by: tasks)
    let durations = await clock.sleeping()

    #expect(durations == [.seconds(5)])
  }

  @Test func workThatSleepsOnAnotherClockFailsTheTestAfterTheTimeLimit() async {
    let other = ManualClock()
    Task { try await other.sleep(for: .seconds(1)) }.cleaned(by: tasks)
    let line = #line - 1
    await other.sleeping()
    let record = Dispatcher.shared.pendingWork
    let changeCount = record.changeCount

    let failure = await failure {
      await Dispatcher.shared.settled(advancing: clock, within: .milliseconds(1))
    }

    #expect(
      failure == """
        The dispatcher has not settled within 0.001 seconds. Still under way:
          The task of FluxCapacitorTestingTests/SettledAdvancingTests.swift:\(line) is running.
        """
    )
    // The wait doesn't poll the record of pending work.
    #expect(record.changeCount == changeCount)
    await Dispatcher.shared.settled(advancing: other)
  }
}
