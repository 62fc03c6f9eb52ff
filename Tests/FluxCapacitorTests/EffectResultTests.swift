import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// B9: `perform` returns the operation's result, and `.atMost` refuses operations.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct EffectResultTests {
  private let gate = FluxCapacitorTesting.Gate()
  private let clock = ManualClock()
  private let log = Log<Int>()

  @Test(
    arguments: [
      .latest, .first, .serial, .newestWaiting, .concurrent(2), .atMost(2, per: .seconds(1)),
    ] as [Effects.Policy]
  )
  func performReturnsTheResultOfTheOperation(policy: Effects.Policy) async throws {
    let effects = Effects(policy)

    #expect(await effects.perform { _ in 88 } == 88)
    await #expect(throws: LoadError.offline) {
      try await effects.perform { _ throws(LoadError) -> Int in throw .offline }
    }
  }

  @Test func performRethrowsTheTypeOfTheError() async {
    do throws(LoadError) {
      try await Effects().perform { _ throws(LoadError) -> Int in throw .offline }
      Issue.record("The error is lost.")
    } catch {
      switch error {
      case .offline: break
      }
    }
  }

  @Test func performReturnsNilForASupersededOperation() async throws {
    let effects = Effects(.latest)
    let older = Task {
      try await effects.perform { _ in
        await gate.pass()
        try Task.checkCancellation()
        return 1
      }
    }
    await gate.reached()

    #expect(await effects.perform { _ in 2 } == 2)
    gate.open()
    #expect(try await older.value == nil)
  }

  @Test func performReturnsNilForAReplacedOperation() async {
    let effects = Effects(.newestWaiting)
    let first = effects.run { _ in await gate.pass() }
    await gate.reached()
    let replaced = effects.run { _ in log.append(1) }
    let newest = Task { await effects.perform { _ in 2 } }
    await replaced.value
    gate.open()

    #expect(await newest.value == 2)
    #expect(log.entries == [])
    await first.value
  }

  @Test func performReturnsNilInsideTheOperationInProgressUnderTheFirstPolicy() async {
    let effects = Effects(.first)

    let result = await effects.perform { _ in
      log.append(await effects.perform { _ in 2 } ?? 0)
      return 1
    }

    #expect(result == 1)
    #expect(log.entries == [0])
  }

  @Test func atMostRefusesOperationsBeyondTheRate() async {
    let effects = Effects(.atMost(2, per: .seconds(1)))
    func run(_ number: Int) async -> Int? {
      await effects.perform(clock: clock) { _ in number }
    }

    #expect(await [run(1), run(2), run(3)] == [1, 2, nil])
    await clock.advance(by: .milliseconds(999))
    let refused = effects.run(clock: clock) { _ in log.append(4) }
    #expect(refused.isCancelled)
    await refused.value
    await clock.advance(by: .milliseconds(1))

    #expect(await [run(5), run(6), run(7)] == [5, 6, nil])
    #expect(log.entries == [])
    #expect(!effects.isRunning.value)
  }

  @Test func durationOfAtMostMayBeLongerThanAClockCanMeasure() async {
    let effects = Effects(.atMost(1, per: Duration(attoseconds: .max)))

    #expect(await effects.perform { _ in 1 } == 1)
    #expect(await effects.perform { _ in 2 } == nil)
  }

  @Test func atMostRunsOperationsAtTheSameTime() async {
    let effects = Effects(.atMost(2, per: .seconds(1)))
    let waiting = effects.run(clock: clock) { _ in await gate.pass() }
    await gate.reached()

    #expect(await effects.perform(clock: clock) { _ in 2 } == 2)
    gate.open()
    await waiting.value
  }

  @Test func atMostTrapsForClocksOfDifferentTypes() async {
    await #expect(processExitsWith: .failure) {
      let effects = Effects(.atMost(1, per: .seconds(1)))
      effects.run(clock: ManualClock()) { _ in }
      effects.run(clock: ContinuousClock()) { _ in }
    }
  }

  @Test func impossibleRatesTrap() async {
    await #expect(processExitsWith: .failure) { _ = Effects(.atMost(0, per: .seconds(1))) }
    await #expect(processExitsWith: .failure) { _ = Effects(.atMost(1, per: .zero)) }
  }
}

private enum LoadError: Error {
  case offline
}
