import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The cookbook's recipe for throttling, and the suite of all recipes.

extension Dispatcher {
  enum Position: DispatchState {
    typealias RelatedStoreType = PositionStore
    typealias RelatedActionType = PositionAction

    case sent(Int)
  }
}

final class PositionStore: Storable {
  let effects = Effects(.newestWaiting)
  var sent: Constant<Int?> { _sent.constant }
  private let _sent = Variable<Int?>(nil)

  func reduce(with state: Dispatcher.Position) {
    switch state {
    case .sent(let position): _sent.value = position
    }
  }
}

struct PositionAction: Actionable {
  typealias DispatchStateType = Dispatcher.Position

  let send: @Sendable (_ position: Int) async -> Void
  var clock: any Clock<Duration> = ContinuousClock()
  private var effects: Effects { PositionStore.instantiate().effects }

  func report(_ position: Int) {
    effects.run { effect in
      await send(position)
      invoke(.sent(position), as: effect)
      try? await clock.sleep(for: .seconds(1))
    }
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
@MainActor
struct CookbookSnippets {
  struct Failure: Error {}

  let gate = FluxCapacitorTesting.Gate()
  let requests = Variable<[String]>([])

  @Test func onlyTheNewestPositionIsSentAfterThePause() async {
    let store = PositionStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let clock = ManualClock()
    let action = PositionAction(
      send: { [requests] in requests.value.append("\($0)") },
      clock: clock
    )

    for position in 1...3 { action.report(position) }
    await clock.sleeping()
    #expect(requests.value == ["1"])
    await Dispatcher.shared.settled(advancing: clock)

    #expect(requests.value == ["1", "3"])
  }
}
