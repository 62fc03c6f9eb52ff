import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// B9: `supersede()` ends the work of an `Effects` under every policy.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct EffectsSupersedingTests {
  private static let policies: [Effects.Policy] = [
    .latest, .first, .serial, .concurrent(1), .concurrent(.max), .newestWaiting,
    .atMost(100, per: .seconds(1)),
  ]

  private let store = CounterStore.instantiate()
  private let gate = FluxCapacitorTesting.Gate()
  private let log = Log<String>()

  @Test(arguments: policies)
  func supersededOperationIsCancelledAndInvokesNothing(policy: Effects.Policy) async {
    let effects = Effects(policy)
    let task = effects.run { effect in
      await gate.pass()
      log.append("\(Task.isCancelled) \(effect.isSuperseded)")
      log.append("\(CounterAction().invoke(.add(1), as: effect))")
    }
    await gate.reached()
    effects.supersede()

    #expect(task.isCancelled)
    #expect(!effects.isRunning.value)
    gate.open()
    await task.value
    #expect(log.entries == ["true true", "false"])
    #expect(store.count.value == 0)
  }

  /// The main actor is busy, so the first operation can't begin before it is superseded.
  @Test(arguments: policies.dropLast() + [.atMost(1, per: .seconds(1))]) @MainActor
  func nextOperationBeginsAlthoughASupersededOneHasNotBegun(policy: Effects.Policy) async {
    let effects = Effects(policy)
    let tasks = (1...2).map { number in
      effects.supersede()
      return effects.run(clock: ManualClock()) { @MainActor [log] _ in log.append("\(number)") }
    }
    for task in tasks { await task.value }

    #expect(log.entries == ["2"])
  }

  @Test(arguments: policies)
  func nextOperationBeginsAlthoughASupersededOneHasNotEnded(policy: Effects.Policy) async {
    let effects = Effects(policy)
    let superseded = effects.run { _ in await gate.pass() }
    await gate.reached()
    effects.supersede()
    await effects.perform { effect in _ = CounterAction().invoke(.add(1), as: effect) }

    #expect(store.count.value == 1)
    gate.open()
    await superseded.value
    await effects.perform { _ in log.append("later") }
    #expect(log.entries == ["later"])
    #expect(!effects.isRunning.value)
  }

  @Test(arguments: [Effects.Policy.serial, .concurrent(1), .newestWaiting])
  func waitingOperationNeverBegins(policy: Effects.Policy) async {
    let effects = Effects(policy)
    let running = effects.run { _ in await gate.pass() }
    await gate.reached()
    let waiting = (1...3).map { number in effects.run { _ in log.append("\(number)") } }
    effects.supersede()
    for task in waiting { await task.value }
    gate.open()
    await running.value

    #expect(log.entries == [])
    #expect(!effects.isRunning.value)
  }

  @Test(arguments: policies)
  func operationThatPausesNeverBegins(policy: Effects.Policy) async {
    let (effects, clock) = (Effects(policy), ManualClock())
    let task = effects.run(after: .seconds(1), clock: clock) { _ in log.append("begun") }
    await clock.sleeping()
    effects.supersede()
    await task.value

    #expect(log.entries == [])
  }

  /// An unlock that waits behind another operation must not follow the lock.
  @Test func queuedOperationCannotOvertakeASupersession() async {
    let effects = Effects(.serial)
    effects.run { _ in await gate.pass() }
    await gate.reached()
    effects.run { effect in _ = CounterAction().invoke(.set(7), as: effect) }
    effects.supersede()
    CounterAction().invoke(.set(0))
    gate.open()
    await Dispatcher.shared.settled()

    #expect(store.count.value == 0)
  }

  @Test(arguments: policies)
  func performReturnsNilForASupersededOperation(policy: Effects.Policy) async {
    let effects = Effects(policy)
    async let result = effects.perform { _ in
      await gate.pass()
      return 1
    }
    await gate.reached()
    effects.supersede()
    gate.open()

    #expect(await result == nil)
  }

  @Test(arguments: policies)
  func performThrowsNothingForASupersededOperation(policy: Effects.Policy) async throws {
    let effects = Effects(policy)
    async let result = effects.perform { _ throws(CancellationError) -> Int in
      await gate.pass()
      throw CancellationError()
    }
    await gate.reached()
    effects.supersede()
    gate.open()
    let value = try await result

    #expect(value == nil)
  }

  @Test(arguments: policies)
  func operationCanSupersedeItself(policy: Effects.Policy) async {
    let effects = Effects(policy)
    await effects.perform { effect in
      effects.supersede()
      log.append("\(Task.isCancelled) \(CounterAction().invoke(.add(1), as: effect))")
    }

    #expect(log.entries == ["true false"])
    #expect(!effects.isRunning.value)
  }

  @Test func supersedingSupersedesOuterAndInnerOperations() async {
    let effects = Effects(.latest)
    let outer = effects.run { outer in
      await effects.perform { inner in
        await gate.pass()
        log.append("\(inner.isSuperseded)")
      }
      log.append("\(outer.isSuperseded) \(Task.isCancelled)")
    }
    await gate.reached()
    effects.supersede()
    gate.open()
    await outer.value

    #expect(log.entries == ["true", "true true"])
  }

  @Test func cancelledOperationStillInvokesStatesAndASupersededOneDoesNot() async {
    let effects = Effects(.serial)
    let task = effects.run { effect in
      await gate.pass()
      CounterAction().invoke(.add(1), as: effect)
    }
    await gate.reached()
    effects.cancel()
    gate.open()
    await task.value

    #expect(store.count.value == 1)
  }

  @Test func supersedingWithoutOperationsDoesNothing() async {
    let effects = Effects(.serial)
    let values = Log<Bool>()
    let dust = effects.isRunning.observe { values.append($0) }
    effects.supersede()
    await effects.perform { _ in }

    #expect(values.entries == [false, true, false])
    dust.clean()
  }
}
