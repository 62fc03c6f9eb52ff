import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// B9: `.atMost` counts the operations that have begun.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct EffectsRateTests {
  private let clock = ManualClock()
  private let log = Log<Int>()

  private func pass(_ duration: Duration) { clock.advance(by: duration) }

  @Test func operationsWithPausesDoNotBeginTogether() async {
    let effects = Effects(.atMost(1, per: .seconds(5)))
    let first = effects.run(after: .seconds(10), clock: clock) { _ in log.append(1) }
    await clock.sleeping()
    pass(.seconds(6))
    let second = effects.run(after: .seconds(4), clock: clock) { _ in log.append(2) }
    await clock.sleeping()
    pass(.seconds(4))
    await first.value
    await second.value

    #expect(log.entries.count == 1)
    #expect([first, second].count(where: \.isCancelled) == 1)
  }

  @Test func operationThatIsCancelledInItsPauseUsesNothingOfTheLimit() async {
    let effects = Effects(.atMost(1, per: .seconds(5)))
    let cancelled = effects.run(after: .seconds(1), clock: clock) { _ in log.append(1) }
    await clock.sleeping()
    cancelled.cancel()
    await cancelled.value

    #expect(await effects.perform(clock: clock) { _ in 2 } == 2)
    #expect(log.entries == [])
  }

  @Test func pausedOperationIsRefusedIfTheLimitIsUsedThen() async {
    let effects = Effects(.atMost(1, per: .seconds(5)))
    async let paused = effects.perform(after: .seconds(3), clock: clock) { _ in 1 }
    await clock.sleeping()
    pass(.seconds(2))
    #expect(await effects.perform(clock: clock) { _ in 2 } == 2)
    pass(.seconds(1))

    #expect(await paused == nil)
    #expect(!effects.isRunning.value)
  }

  @Test func pauseLongerThanTheDurationNeedsNoFreePlaceAtTheCall() async {
    let effects = Effects(.atMost(1, per: .seconds(5)))
    #expect(await effects.perform(clock: clock) { _ in 1 } == 1)
    async let paused = effects.perform(after: .seconds(5), clock: clock) { _ in 2 }
    await clock.sleeping()
    pass(.seconds(5))

    #expect(await paused == 2)
  }

  /// The main actor is busy with the test, so the operation can't begin before it is superseded.
  @Test @MainActor func operationThatIsSupersededBeforeItsBeginningUsesNothingOfTheLimit() async {
    let effects = Effects(.atMost(1, per: .seconds(5)))
    let superseded = effects.run(clock: clock) { @MainActor _ in log.append(1) }
    effects.supersede()
    await superseded.value

    #expect(await effects.perform(clock: clock) { _ in 2 } == 2)
    #expect(log.entries == [])
  }

  /// The first operation begins late, and the limit counts from then on.
  @Test @MainActor func limitCountsFromTheBeginningOfAnOperation() async {
    let effects = Effects(.atMost(1, per: .seconds(5)))
    let late = effects.run(clock: clock) { @MainActor _ in log.append(1) }
    #expect(effects.run(clock: clock) { _ in }.isCancelled)
    pass(.seconds(4))
    await late.value
    pass(.seconds(4))
    #expect(effects.run(clock: clock) { _ in }.isCancelled)
    pass(.seconds(1))

    #expect(await effects.perform(clock: clock) { _ in 2 } == 2)
  }

  @Test func highLimitRefusesEachFurtherCall() async {
    let effects = Effects(.atMost(2_000, per: .seconds(1)))
    for _ in 0..<2_000 { effects.run(clock: clock) { _ in } }
    await Dispatcher.shared.settled()
    for _ in 0..<4_000 { effects.run(clock: clock) { _ in log.append(1) } }
    pass(.seconds(1))
    #expect(await effects.perform(clock: clock) { _ in 2 } == 2)
    await Dispatcher.shared.settled()

    #expect(log.entries == [])
  }
}
