import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// Tests the policies other than `.latest`, and the actor, priority and task-local values of operations.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct EffectsTests {
  private let store = CounterStore.instantiate()
  private let gate = FluxCapacitorTesting.Gate()
  private let log = Log<String>()

  // MARK: First

  @Test func firstPolicyReturnsTheRunningTaskWhenRunIsCalledAgain() async {
    let effects = Effects(.first)
    let first = effects.run { effect in
      await gate.pass()
      CounterAction().invoke(.add(1), as: effect)
    }
    let second = effects.run { _ in log.append("second") }
    #expect(first == second)
    gate.open()
    await second.value
    await effects.perform { _ in log.append("third") }

    #expect(log.entries == ["third"])
    #expect(store.count.value == 1)
    #expect(!effects.isRunning.value)
  }

  @Test func firstPolicyDoesNotCancelTheSharedOperationWhenASecondCallerIsCancelled() async {
    let effects = Effects(.first)
    let first = effects.run { _ in
      await gate.pass()
      log.append("\(Task.isCancelled)")
    }
    let other = Task { await effects.perform { _ in } }
    other.cancel()
    gate.open()
    await other.value
    await first.value

    #expect(log.entries == ["false"])
  }

  // MARK: Newest waiting

  @Test func newestWaitingPolicyFinishesTheOperationInProgressAndThenRunsTheNewest() async {
    let effects = Effects(.newestWaiting)
    let tasks = (1...4).map { number in
      effects.run { _ in
        log.append("begin \(number)")
        if number == 1 { await gate.pass() }
        log.append("end \(number)")
      }
    }
    await gate.reached()
    for task in tasks[1...2] { await task.value }
    #expect(log.entries == ["begin 1"])
    gate.open()
    for task in tasks { await task.value }

    #expect(log.entries == ["begin 1", "end 1", "begin 4", "end 4"])
    #expect(!effects.isRunning.value)
  }

  @Test func pauseMayBeLongerThanAClockCanMeasure() async {
    let effects = Effects(.serial)
    let task = effects.run(after: .seconds(Int64.max)) { _ in log.append("never") }
    await Task.yield()
    effects.supersede()
    await task.value

    #expect(log.entries == [])
  }

  @Test func cancelledOperationUnderTheNewestWaitingPolicyLetsTheNewestBegin() async {
    let effects = Effects(.newestWaiting)
    let first = effects.run { effect in
      await gate.pass()
      #expect(!effect.isSuperseded)
      log.append("first")
    }
    await gate.reached()
    first.cancel()
    let newest = effects.run { _ in log.append("newest") }

    gate.open()
    for task in [first, newest] { await task.value }

    #expect(log.entries == ["first", "newest"])
  }

  // MARK: Serial and concurrent

  @Test func serialPolicyRunsANestedOperationWithoutWaitingForTheOuterOperation() async {
    let effects = Effects(.serial)
    await effects.perform { _ in
      await effects.perform { _ in
        await withTaskGroup { group in
          group.addTask { await effects.perform { _ in log.append("innermost") } }
        }
        log.append("inner")
      }
      log.append("outer")
    }

    #expect(log.entries == ["innermost", "inner", "outer"])
  }

  @Test func serialOperationStartedByAnIsRunningObserverWaitsForTheOperationInProgress() async {
    let effects = Effects(.serial)
    let dust = effects.isRunning.observe(ignoreFirst: true) { isRunning in
      if isRunning { effects.run { _ in log.append("observer's") } }
    }
    await effects.perform { _ in log.append("first") }
    await Dispatcher.shared.settled()
    dust.clean()

    #expect(log.entries.prefix(2) == ["first", "observer's"])
  }

  @Test
  func concurrentPolicyRunsAtMostItsLimitOfOperationsAndStartsWaitingOperationsInOrder() async {
    let effects = Effects(.concurrent(2))
    let gates = (0..<4).map { _ in FluxCapacitorTesting.Gate() }
    let tasks = (0..<4).map { number in
      effects.run { _ in
        log.append("begin \(number)")
        await gates[number].pass()
      }
    }
    await gates[0].reached()
    await gates[1].reached()
    #expect(Set(log.entries) == ["begin 0", "begin 1"])
    gates[1].open()
    await gates[2].reached()
    #expect(log.entries.last == "begin 2")
    gates[0].open()
    await gates[3].reached()
    #expect(effects.isRunning.value)
    for gate in gates { gate.open() }
    for task in tasks { await task.value }

    #expect(log.entries.count == 4)
  }

  @Test func pauseOfAWaitingOperationStartsWhenRunIsCalled() async {
    let clock = ManualClock()
    let effects = Effects(.serial)
    let first = effects.run { _ in await gate.pass() }
    let second = effects.run(after: .seconds(1), clock: clock) { _ in log.append("second") }
    await clock.advance(by: .seconds(1))
    gate.open()
    await first.value
    await second.value

    #expect(log.entries == ["second"])
  }

  // MARK: Context

  @Test @MainActor func effectOperationRunsOnTheActorOfItsCaller() async {
    var number = 0
    let effects = Effects(.serial)
    await effects.perform { _ in number += 1 }
    await effects.run { _ in number += 1 }.value

    #expect(number == 2)
  }

  @Test func effectOperationInheritsTaskLocalValuesAndPriorityFromItsCaller() async {
    await Context.$name.withValue("inherited") {
      await Task(priority: .utility) {
        await Effects().perform { _ in
          log.append("\(Context.name) \(Task.basePriority == .utility)")
          CounterAction().invoke(.add(1))
        }
      }.value
    }

    #expect(log.entries == ["inherited true"])
    #expect(store.count.value == 1)
  }

  @Test func isRunningStaysTrueWhenANewerOperationSupersedesTheRunningOperation() async {
    let effects = Effects(.latest)
    let recorder = ValueRecorder(effects.isRunning)
    let older = effects.run { _ in await untilCancelled() }
    let newer = effects.run { _ in await gate.pass() }
    await older.value
    #expect(recorder.values == [false, true])
    gate.open()
    await newer.value

    #expect(recorder.values == [false, true, false])
  }

  @Test func concurrentPolicyWithALimitOfZeroTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Effects(.concurrent(0))
    }

    expectSentence(in: result, "Effects(.concurrent(0))", "at least 1")
  }
}

private enum Context {
  @TaskLocal static var name = ""
}
