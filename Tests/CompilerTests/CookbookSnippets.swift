import FluxCapacitor
import FluxCapacitorTesting
import Foundation
import Testing

// The cookbook's recipes for errors, pauses and throttling, and the suite of all recipes.

extension String {
  /// A text that a person can read. Log the error itself.
  init(explaining error: any Error) {
    self =
      (error as? any LocalizedError)?.errorDescription ?? "That didn’t work. Please try again."
  }
}

/// Returns the pause before the next attempt: 1, 2, 4 … seconds, at most a minute. It's shortened at random, so that not
/// all clients return at the same moment.
func pause(afterAttempt attempt: Int) -> Duration {
  .seconds(min(60, 1 << min(attempt - 1, 6))) * Double.random(in: 0.5...1)
}

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

  @Test func pausesGrowToAMinute() {
    for (attempt, seconds) in zip([1, 2, 3, 7, 100, .max], [1, 2, 4, 60, 60, 60]) {
      let range: ClosedRange<Duration> = .seconds(seconds) * 0.5...Duration.seconds(seconds)
      #expect(range.contains(pause(afterAttempt: attempt)))
    }
  }

  @Test func errorsOfAServiceExplainThemselves() {
    struct Full: LocalizedError { var errorDescription: String? { "The train is full." } }

    #expect(String(explaining: Full()) == "The train is full.")
    #expect(String(explaining: Failure()) == "That didn’t work. Please try again.")
  }

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
