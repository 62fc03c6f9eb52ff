import FluxCapacitor
import FluxCapacitorTesting
import Testing

/// What each policy does with an operation while another one is in progress.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(10)))
struct EffectsTests {
  private let store = CounterStore.instantiate()
  private let gate = FluxCapacitorTesting.Gate()
  private let log = Log<String>()

  // MARK: Latest

  @Test func theLatestSupersedesTheOneInProgress() async {
    let effects = Effects(.latest)
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

  @Test @MainActor func whatIsSupersededBeforeItBeginsDoesNotBegin() async {
    let effects = Effects(.latest)
    for _ in 0..<200 {
      // It can't begin on the main actor as long as this is there.
      let older = effects.run { @MainActor _ in log.append("older") }
      let newer = effects.run { @MainActor _ in log.append("newer") }
      await older.value
      await newer.value
    }

    #expect(Set(log.entries) == ["newer"])
  }

  @Test func whatHasEndedIsSupersededToo() async {
    let effects = Effects(.latest)
    let kept = Log<Effect>()
    await effects.perform { kept.append($0) }
    await effects.perform { CounterAction().invoke(.set(2), as: $0) }

    #expect(kept.entries[0].isSuperseded)
    #expect(!CounterAction().invoke(.set(1), as: kept.entries[0]))
    #expect(store.count.value == 2)
  }

  @Test func whatIsQueuedIsSupersededToo() async {
    let effects = Effects(.latest)
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

  @Test func theLatestOfABurstIsRunBehindThePause() async {
    let clock = ManualClock()
    let effects = Effects(.latest)
    let tasks = (1...3).map { number in
      effects.run(after: .seconds(1), clock: clock) { _ in log.append("\(number)") }
    }
    await tasks[0].value
    await tasks[1].value
    #expect(effects.isRunning.value)
    clock.advance(by: .milliseconds(999))
    #expect(log.entries == [])
    clock.advance(by: .milliseconds(1))
    await tasks[2].value

    #expect(log.entries == ["3"])
    #expect(!effects.isRunning.value)
  }

  @Test func anOperationMaySupersedeItself() async {
    let effects = Effects(.latest)
    await effects.run { outer in
      let inner = effects.run { effect in CounterAction().invoke(.set(2), as: effect) }
      CounterAction().invoke(.set(1), as: outer)
      await inner.value
    }.value

    #expect(store.count.value == 2)
  }

  @Test(arguments: [Duration.zero, .seconds(1)])
  func anOperationMayAwaitTheOneThatSupersedesIt(pause: Duration) async {
    let clock = ManualClock()
    let effects = Effects(.latest)
    async let all: Void = effects.perform { outer in
      await effects.perform(after: pause, clock: clock) { effect in
        log.append("inner \(Task.isCancelled)")
        CounterAction().invoke(.set(2), as: effect)
      }
      CounterAction().invoke(.set(1), as: outer)
      log.append("outer \(outer.isSuperseded)")
    }
    if pause > .zero { await clock.sleeping() }
    clock.advance(by: pause)
    await all

    #expect(log.entries == ["inner false", "outer true"])
    #expect(store.count.value == 2)
  }

  /// Who awaits the one that supersedes him is not cancelled by it, but by all others.
  @Test(arguments: [true, false])
  func whoAwaitsIsStillToBeStopped(byCancelling: Bool) async {
    let effects = Effects(.latest)
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

  @Test func whoSupersedesFromWithinTheReduceIsNotHeldUp() async {
    let effects = Effects(.latest)
    let dispatcher = Dispatcher.shared
    let dust = dispatcher.intercept { _ in effects.run { _ in } }
    await effects.perform { effect in
      CounterAction().invoke(.set(1), as: effect)
      log.append("\(effect.isSuperseded)")
    }
    dust.clean()

    #expect(log.entries == ["true"])
    #expect(store.count.value == 1)
  }

  // MARK: First

  @Test func theFirstIsTheOnlyOneAsLongAsItIsInProgress() async {
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

  @Test func nobodyJoinsAFirstOneThatIsCancelled() async {
    let clock = ManualClock()
    let effects = Effects(.first)
    let pausing = effects.run(after: .seconds(1), clock: clock) { _ in log.append("pausing") }
    await clock.sleeping()
    effects.cancel()
    let running = effects.run { _ in
      await gate.pass()
      log.append("running")
    }
    await gate.reached()
    running.cancel()
    let waiting = effects.run { _ in log.append("waiting") }
    #expect(effects.run { _ in log.append("joining") } == waiting)
    gate.open()
    for task in [pausing, running, waiting] { await task.value }

    #expect(log.entries == ["running", "waiting"])
    #expect(!effects.isRunning.value)
  }

  @Test func whoMerelyJoinsTheFirstDoesNotCancelIt() async {
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

  @Test func theFirstWaitsForNoFirstInsideItself() async {
    let effects = Effects(.first)
    await effects.perform { _ in
      await effects.perform { _ in log.append("inner") }
      log.append("outer")
    }

    #expect(log.entries == ["outer"])
  }

  // MARK: Serial and concurrent

  @Test func serialOnesRunOneAfterTheOther() async {
    let effects = Effects(.serial)
    let tasks = (1...4).map { number in
      effects.run { _ in
        log.append("begin \(number)")
        if number == 1 { await gate.pass() } else { await Task.yield() }
        log.append("end \(number)")
      }
    }
    await gate.reached()
    gate.open()
    for task in tasks { await task.value }

    #expect(log.entries == (1...4).flatMap { ["begin \($0)", "end \($0)"] })
    #expect(!effects.isRunning.value)
  }

  @Test func aSerialOneWaitsForNobodyInsideAnother() async {
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

  @Test func anObserverIsInsideNoOperation() async {
    let effects = Effects(.serial)
    let dust = Dispatcher.shared.observe(Dispatcher.Counter.self) { _ in
      effects.run { _ in log.append("observer's") }
    }
    await effects.perform { effect in
      CounterAction().invoke(.set(1), as: effect)
      await Task.yield()
      log.append("operation's")
    }
    await Dispatcher.shared.settled()
    dust.clean()

    #expect(log.entries == ["operation's", "observer's"])
  }

  @Test func whoObservesThatItRunsFindsItInItsPlace() async {
    let effects = Effects(.serial)
    let dust = effects.isRunning.observe(ignoreFirst: true) { isRunning in
      if isRunning { effects.run { _ in log.append("observer's") } }
    }
    await effects.perform { _ in log.append("first") }
    await Dispatcher.shared.settled()
    dust.clean()

    #expect(log.entries.prefix(2) == ["first", "observer's"])
  }

  @Test func concurrentOnesAreNoMoreThanTheLimit() async {
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

  @Test func aPauseIsCountedFromTheRun() async {
    let clock = ManualClock()
    let effects = Effects(.serial)
    let first = effects.run { _ in await gate.pass() }
    let second = effects.run(after: .seconds(1), clock: clock) { _ in log.append("second") }
    clock.advance(by: .seconds(1))
    gate.open()
    await first.value
    await second.value

    #expect(log.entries == ["second"])
  }

  // MARK: Cancelling

  @Test func whatIsCancelledMayStillInvoke() async {
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
  func whatWaitsDoesNotBeginWhenItIsCancelled(policy: Effects.Policy) async {
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

  @Test func cancellingAllCancelsThoseThatWaitToo() async {
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

  @Test func whatPausesDoesNotBeginWhenItIsCancelled() async {
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
  func whoAwaitsIsTheOneWhoCancels(policy: Effects.Policy) async {
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

  @Test func whoIsCancelledBeforeHandRunsACancelledOperation() async {
    let effects = Effects()
    let older = effects.run { _ in await untilCancelled() }
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await effects.perform { effect in
        log.append("\(Task.isCancelled) \(effect.isSuperseded)")
      }
    }.value
    await older.value

    #expect(log.entries == ["true false"])
  }

  @Test func aBagCancelsWhatWasPutIntoIt() async {
    let dusts = DustBuster()
    let effects = Effects(.serial)
    let task = effects.run { _ in await untilCancelled() }
    task.cleaned(by: dusts)
    dusts.clean()
    await task.value
  }

  // MARK: Context

  @Test @MainActor func anOperationIsOnItsCallersActor() async {
    var number = 0
    let effects = Effects(.serial)
    await effects.perform { _ in number += 1 }
    await effects.run { _ in number += 1 }.value

    #expect(number == 2)
  }

  @Test func anOperationInheritsTaskLocalValuesAndThePriority() async {
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

  @Test func isRunningDoesNotFlickerFromOneToTheNext() async {
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

  @Test func effectsAreSettledWhenWhatTheyRunHasEnded() async {
    let effects = Effects(.latest)
    effects.run { _ in await untilCancelled() }
    effects.run { effect in
      await gate.pass()
      CounterAction().invoke(.set(3), as: effect)
    }
    await gate.reached()
    gate.open()
    await Dispatcher.shared.settled()

    #expect(store.count.value == 3)
  }

  @Test func aLimitOfNoneTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Effects(.concurrent(0))
    }

    expectSentence(in: result, "Effects(.concurrent(0))", "at least 1")
  }
}

private enum Context {
  @TaskLocal static var name = ""
}
