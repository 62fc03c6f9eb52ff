import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Observation
import Testing

/// B9: each key has effects of its own, which exist as long as they have work.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct KeyedEffectsTests {
  private let store = CounterStore.instantiate()
  private let gate = FluxCapacitorTesting.Gate()
  private let clock = ManualClock()
  private let log = Log<String>()

  private func pass(_ duration: Duration) { clock.advance(by: duration) }

  @Test func operationsOfOneKeyWaitForEachOtherAndForNoOtherKey() async {
    let effects = KeyedEffects<String>(.serial)
    let first = effects["a"].run { _ in
      await gate.pass()
      log.append("a1")
    }
    await gate.reached()
    let second = effects["a"].run { _ in log.append("a2") }
    await effects["b"].perform { _ in log.append("b") }
    gate.open()
    await first.value
    await second.value

    #expect(log.entries == ["b", "a1", "a2"])
  }

  @Test func newerOperationSupersedesOnlyThoseOfItsKey() async {
    let effects = KeyedEffects<Int>()
    let tasks = [1, 2].map { key in
      effects[key].run { effect in
        await gate.pass()
        CounterAction().invoke(.add(key), as: effect)
      }
    }
    await gate.reached(2)
    let newest = effects[1].run { _ in }
    gate.open()
    for task in tasks + [newest] { await task.value }

    #expect(store.count.value == 2)
    #expect(tasks.map(\.isCancelled) == [true, false])
  }

  @Test func subscriptReturnsTheSameEffectsAsLongAsSomebodyKeepsThem() {
    let effects = KeyedEffects<Int>(.first)
    let kept = effects[1]
    #expect(effects[1] === kept)
    #expect(effects[2] !== kept)
  }

  @Test(arguments: [
    Effects.Policy.latest, .first, .serial, .concurrent(2), .newestWaiting,
  ])
  func keyIsForgottenAfterItsLastOperation(policy: Effects.Policy) async {
    let effects = KeyedEffects<Int>(policy)
    weak var forgotten: Effects?
    forgotten = effects[1]
    #expect(forgotten == nil)
    let task = effects[1].run { _ in await gate.pass() }
    forgotten = effects[1]
    await gate.reached()
    #expect(forgotten != nil)
    #expect(effects[1].isRunning.value)
    gate.open()
    await task.value
    await Dispatcher.shared.settled()

    #expect(forgotten == nil)
    #expect(!effects[1].isRunning.value)
  }

  /// Nobody keeps the key's `Effects`.
  @Test func observerOfAKeysProgressSeesItsOperations() async {
    let effects = KeyedEffects<Int>()
    let progress = ValueRecorder(effects[1].isRunning)
    for _ in 1...2 { await effects[1].run { _ in }.value }
    await Dispatcher.shared.settled()

    #expect(progress.values == [false, true, false, true, false])
  }

  @Test func bodyThatReadsTheProgressOfAKeyIsDrawnAgain() async {
    let (effects, drawn) = (KeyedEffects<Int>(), Log<Bool>())
    @Sendable func draw() {
      withObservationTracking {
        drawn.append(effects[1].isRunning.value)
      } onChange: {
        draw()
      }
    }
    draw()
    for _ in 1...2 {
      // The gate keeps the operation from ending before its start is drawn.
      let gate = FluxCapacitorTesting.Gate()
      let task = effects[1].run { _ in await gate.pass() }
      gate.open()
      await task.value
    }
    await Dispatcher.shared.settled()

    #expect(drawn.entries == [false, true, false, true, false])
  }

  /// The rows of a list show their progress, and then the list is gone.
  @Test func keysThatAreNoLongerShownLeaveNothing() async {
    let (effects, dusts) = (KeyedEffects<Int>(), DustBuster())
    for key in 0..<100 {
      effects[key].isRunning.observe { _ in }.cleaned(by: dusts)
      withObservationTracking {
        _ = effects[key].isRunning.value
      } onChange: {
      }
      withObservationTracking {
        _ = effects[key + 100].isRunning.value
      } onChange: {
      }
    }
    for key in 0..<200 { await effects[key].run { _ in }.value }
    dusts.clean()
    await Dispatcher.shared.settled()

    for property in ["members", "awaited"] {
      #expect("\(Mirror(reflecting: effects).descendant(property) ?? "")" == "[:]")
    }
  }

  @Test func keyIsForgottenWhenItNoLongerCountsForItsLimit() async {
    let effects = KeyedEffects<Int>(.atMost(1, per: .seconds(5)))
    #expect(await effects[1].perform(clock: clock) { _ in 1 } == 1)
    await Dispatcher.shared.settled()
    weak let limited = effects[1]
    #expect(limited != nil)
    #expect(await effects[1].perform(clock: clock) { _ in 2 } == nil)
    #expect(await effects[2].perform(clock: clock) { _ in 3 } == 3)
    pass(.seconds(5))
    _ = effects[3]

    #expect(limited == nil)
    #expect(await effects[1].perform(clock: clock) { _ in 4 } == 4)
  }

  @Test(arguments: [true, false])
  func cancelAndSupersedeReachAllKeys(isSuperseding: Bool) async {
    let effects = KeyedEffects<Int>(.serial)
    let tasks = (0..<10).map { number in
      effects[number % 5].run { effect in
        await gate.pass()
        CounterAction().invoke(.add(1), as: effect)
      }
    }
    await gate.reached(5)
    isSuperseding ? effects.supersede() : effects.cancel()
    for task in tasks { #expect(task.isCancelled) }
    gate.open()
    for task in tasks { await task.value }

    // Five operations had begun, and may report their end if they are only cancelled.
    #expect(store.count.value == (isSuperseding ? 0 : 5))
  }

  @Test func operationsAreCancelledWithTheirKeyedEffects() async {
    var effects: KeyedEffects? = KeyedEffects<Int>(.serial)
    let tasks = (1...6).map { key in effects?[key % 3].run { _ in await untilCancelled() } }
    effects = nil
    for task in tasks { await task?.value }
  }

  @Test func effectsOfAKeyOutliveTheirKeyedEffects() async {
    let kept = KeyedEffects<Int>(.serial)[1]
    #expect(await kept.perform { _ in 1 } == 1)
  }

  @Test func impossiblePoliciesTrap() async {
    await #expect(processExitsWith: .failure) { _ = KeyedEffects<Int>(.concurrent(0)) }
    await #expect(processExitsWith: .failure) {
      _ = KeyedEffects<Int>(.atMost(0, per: .seconds(1)))
    }
  }

  @Test func manyKeysLeaveNothing() async {
    let effects = KeyedEffects<Int>(.atMost(1, per: .seconds(1)))
    let alive = Tally()
    for key in 0..<2_000 {
      let token = Carried(AtEnd { alive.add(-1) })
      alive.add(1)
      effects[key].run(clock: clock) { [token] _ in withExtendedLifetime(token) {} }
    }
    await Dispatcher.shared.settled()
    pass(.seconds(1))
    _ = effects[0]
    #expect(alive.value == 0)
    #expect("\(Mirror(reflecting: effects).descendant("members") ?? "")".count < 200)
  }
}
