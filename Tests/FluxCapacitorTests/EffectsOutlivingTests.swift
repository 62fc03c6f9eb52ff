import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// B9: an effect that outlives its operation changes nothing that is newer.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct EffectsOutlivingTests {
  /// A completion handler keeps the effect of an operation that has ended.
  @Test(arguments: [false, true])
  func endedOperationOfAKeyIsSuperseded(byANewerOne isByANewerOne: Bool) async {
    let loads = KeyedEffects<Int>(.latest)
    let older = Guarded<Effect?>(nil)
    await loads[1].run { effect in older.withLock { $0 = effect } }.value
    await Dispatcher.shared.settled()

    if isByANewerOne { await loads[1].run { _ in }.value } else { loads.supersede() }

    #expect(older.withLock { $0?.isSuperseded } == true)
  }
}
