import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// Freeing an `Effects` cancels its operations, and an `Effects` releases each ended operation.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct EffectsLifetimeTests {
  @Test(arguments: [Effects.Policy.latest, .first, .serial, .concurrent(2)])
  func effectsCancelTheirOperationsWhenTheEffectsObjectIsFreed(policy: Effects.Policy) async {
    var effects: Effects? = Effects(policy)
    let tasks = (1...3).map { _ in effects?.run { _ in await untilCancelled() } }
    effects = nil
    for task in tasks { await task?.value }
  }

  @Test(arguments: [Effects.Policy.latest, .first, .serial, .concurrent(2)])
  func effectsReleaseTheClosureOfEachEndedOperation(policy: Effects.Policy) async {
    let effects = Effects(policy)
    let ended = Log<Int>()
    for number in 1...3 {
      await withCheckedContinuation { continuation in
        let token = Carried(
          AtEnd {
            ended.append(number)
            continuation.resume()
          }
        )
        effects.run { [token] _ in withExtendedLifetime(token) {} }
      }
    }

    #expect(ended.entries == [1, 2, 3])
    withExtendedLifetime(effects) {}
  }

  @Test func serialEffectsRunWaitingOperationsInOrderAfterSomeAreCancelled() async {
    let effects = Effects(.serial)
    let gate = FluxCapacitorTesting.Gate()
    let log = Log<Int>()
    let first = effects.run { _ in await gate.pass() }
    let tasks = (0..<100).map { number in effects.run { _ in log.append(number) } }
    for (number, task) in tasks.enumerated() where !number.isMultiple(of: 10) {
      task.cancel()
      await task.value
    }
    gate.open()
    await first.value
    for task in tasks { await task.value }

    #expect(log.entries == Array(stride(from: 0, to: 100, by: 10)))
    #expect(!effects.isRunning.value)
  }

  @Test func serialEffectsReleaseEachEndedOperationThatStartedTheNextOperation() async {
    let alive = Tally()
    let ended = Tally()
    let effects = Effects(.serial)
    let (steps, end) = AsyncStream<Never>.makeStream()
    @Sendable func next(_ number: Int) {
      effects.run { effect in
        alive.add()
        let token = AtEnd { ended.add() }
        if number < 1_000 { next(number + 1) } else { end.finish() }
        withExtendedLifetime((token, effect)) {}
      }
    }
    next(1)
    for await _ in steps {}
    await effects.perform { _ in }

    #expect(alive.value == 1_000)
    #expect(ended.value == 1_000)
  }
}
