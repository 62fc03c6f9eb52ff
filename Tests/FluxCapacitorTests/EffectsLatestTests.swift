import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// Under the policy `.latest`, each operation supersedes the operations before it.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct EffectsLatestTests {
  private let store = CounterStore.instantiate()
  private let gate = FluxCapacitorTesting.Gate()
  private let log = Log<String>()
  private let effects = Effects(.latest)
  private let clock = ManualClock()

  @Test func latestPolicySupersedesTheRunningOperationAndDropsItsStates() async {
    let older = effects.run { effect in
      await gate.pass()
      let wasInvoked = CounterAction().invoke(.set(1), as: effect)
      log.append("\(wasInvoked) \(effect.isSuperseded) \(Task.isCancelled)")
    }
    await gate.reached()
    let newer = effects.run { effect in
      let wasInvoked = CounterAction().invoke(.set(2), as: effect)
      log.append("\(wasInvoked) \(effect.isSuperseded) \(Task.isCancelled)")
    }
    #expect(older.isCancelled)
    await newer.value
    gate.open()
    await older.value

    #expect(log.entries == ["true false false", "false true true"])
    #expect(store.count.value == 2)
  }

  @Test func effectOfAnEndedOperationInvokesNoStateAfterANewerOperationStarts() async {
    let kept = Log<Effect>()
    await effects.perform { kept.append($0) }
    await effects.perform { CounterAction().invoke(.set(2), as: $0) }

    #expect(kept.entries[0].isSuperseded)
    #expect(!CounterAction().invoke(.set(1), as: kept.entries[0]))
    #expect(store.count.value == 2)
  }

  @Test func queuedStateIsDroppedIfItsOperationIsSupersededBeforeTheReduce() async {
    await effects.perform { effect in
      Dispatcher.shared.read {
        let isToBeDispatched = CounterAction().invoke(.set(1), as: effect)
        effects.run { _ in }
        log.append("\(isToBeDispatched)")
      }
    }

    #expect(log.entries == ["true"])
    #expect(store.count.value == 0)
  }

  @Test func latestPolicyWithAPauseRunsOnlyTheLastOperationOfABurst() async {
    let tasks = (1...3).map { number in
      effects.run(after: .seconds(1), clock: clock) { _ in log.append("\(number)") }
    }
    await tasks[0].value
    await tasks[1].value
    #expect(effects.isRunning.value)
    await clock.advance(by: .milliseconds(999))
    #expect(log.entries == [])
    await clock.advance(by: .milliseconds(1))
    await tasks[2].value

    #expect(log.entries == ["3"])
    #expect(!effects.isRunning.value)
  }

  @Test(arguments: [Duration.zero, .seconds(1)])
  func newerOperationThatAnOlderOperationAwaitsRunsUncancelled(pause: Duration) async {
    async let all = effects.perform { outer in
      await effects.perform(after: pause, clock: clock) { effect in
        log.append("inner \(Task.isCancelled)")
        CounterAction().invoke(.set(2), as: effect)
      }
      CounterAction().invoke(.set(1), as: outer)
      log.append("outer \(outer.isSuperseded)")
    }
    if pause > .zero { await clock.sleeping() }
    await clock.advance(by: pause)
    _ = await all

    #expect(log.entries == ["inner false", "outer true"])
    #expect(store.count.value == 2)
  }

  /// A newer operation cancels an older operation, unless the older operation awaits the newer operation.
  ///
  /// In this test, nested operations start the newer operation, and then end.
  @Test
  func nestedOperationThatSupersedesAnAwaitingOuterOperationDoesNotCancelTheOuterOperation() async {
    let (outer, middle, inner) = (Effects(), Effects(), Effects())
    let (left, continuation) = AsyncStream<Task<Void, Never>>.makeStream()

    await outer.perform { _ in
      let task = middle.run { _ in
        let task = inner.run { _ in
          continuation.yield(
            Task {
              await gate.pass()
              await outer.perform { _ in log.append("inside") }
            }
          )
        }
        await task.value
      }
      await task.value
      gate.open()
      for await task in left.prefix(1) { await task.value }
      #expect(!Task.isCancelled)
    }

    #expect(log.entries == ["inside"])
  }

  @Test(arguments: [true, false])
  func operationThatAwaitsANewerOperationIsCancelledByCancelOrAThirdRun(byCancelling: Bool) async {
    let outer = effects.run { outer in
      await effects.perform { _ in await gate.pass() }
      log.append("\(outer.isSuperseded) \(Task.isCancelled)")
    }
    await gate.reached()
    if byCancelling { effects.cancel() } else { effects.run { _ in } }
    gate.open()
    await outer.value

    #expect(log.entries == ["true true"])
  }
}
