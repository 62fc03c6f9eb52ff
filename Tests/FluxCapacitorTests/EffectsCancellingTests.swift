import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// Cancellation of asynchronous operations under each policy.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct EffectsCancellingTests {
  private let store = CounterStore.instantiate()
  private let gate = FluxCapacitorTesting.Gate()
  private let log = Log<String>()

  @Test func operationCancelledByEffectsCancelStillInvokesStates() async {
    let effects = Effects(.latest)
    let task = effects.run { effect in
      await gate.pass()
      log.append("\(Task.isCancelled) \(effect.isSuperseded)")
      CounterAction().invoke(.set(1), as: effect)
    }
    await gate.reached()
    effects.cancel()
    #expect(effects.isRunning.value)
    gate.open()
    await task.value

    #expect(log.entries == ["true false"])
    #expect(store.count.value == 1)
    await effects.perform { effect in CounterAction().invoke(.set(2), as: effect) }
    #expect(store.count.value == 2)
  }

  @Test(arguments: [Effects.Policy.serial, .concurrent(1)])
  func waitingEffectOperationThatIsCancelledNeverStarts(policy: Effects.Policy) async {
    let effects = Effects(policy)
    let first = effects.run { _ in
      await gate.pass()
      log.append("\(Task.isCancelled)")
    }
    let second = effects.run { _ in log.append("second") }
    await gate.reached()
    second.cancel()
    await second.value
    let third = effects.run { _ in log.append("third") }
    gate.open()
    await first.value
    await third.value
    effects.cancel()

    #expect(log.entries == ["false", "third"])
    #expect(!effects.isRunning.value)
  }

  @Test func effectsCancelPreventsWaitingOperationsFromStarting() async {
    let effects = Effects(.serial)
    let tasks = (1...3).map { number in
      effects.run { _ in
        await gate.pass()
        log.append("\(number)")
      }
    }
    await gate.reached()
    effects.cancel()
    await tasks[1].value
    await tasks[2].value
    gate.open()
    await tasks[0].value

    #expect(log.entries == ["1"])
    #expect(!effects.isRunning.value)
  }

  @Test func effectsCancelDuringThePauseBeforeAnOperationPreventsItsStart() async {
    let clock = ManualClock()
    let effects = Effects()
    let task = effects.run(after: .seconds(1), clock: clock) { _ in log.append("ran") }
    await clock.sleeping()
    effects.cancel()
    await task.value

    #expect(log.entries == [])
    #expect(!effects.isRunning.value)
  }

  @Test(arguments: [Effects.Policy.latest, .first, .serial, .concurrent(2)])
  func cancellingTheTaskThatAwaitsPerformCancelsTheEffectsOperation(policy: Effects.Policy) async {
    let effects = Effects(policy)
    let task = Task {
      await effects.perform { effect in
        await gate.pass()
        log.append("\(Task.isCancelled) \(effect.isSuperseded)")
      }
      log.append("done")
    }
    await gate.reached()
    task.cancel()
    gate.open()
    await task.value

    #expect(log.entries == ["true false", "done"])
  }
}
