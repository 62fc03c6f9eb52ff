import FluxCapacitor
import FluxCapacitorTesting
import Testing

#if canImport(UIKit) && !os(watchOS)
  import UIKit
#endif

extension Dispatcher {
  enum Likes: DispatchState {
    typealias RelatedStoreType = LikesStore
    typealias RelatedActionType = LikesAction

    case increment
    case decrement
  }
}

struct LikesAction: Actionable {
  typealias DispatchStateType = Dispatcher.Likes

  let dispatcher = Dispatcher.shared

  func increment() {
    invoke(.increment)
  }

  func decrement() {
    invoke(.decrement)
  }

  @discardableResult
  func incrementLater(on clock: some Clock<Duration> = .continuous) -> Task<Void, any Error> {
    Task {
      try await clock.sleep(for: .seconds(1))
      invoke(.increment)
    }
  }
}

final class LikesStore: Storable {
  let actions = LikesAction()
  let countText: Constant<String>
  private let _count = Variable(0)

  init() {
    countText = _count.map { String($0) }
  }

  func reduce(with state: Dispatcher.Likes) {
    switch state {
    case .increment: _count.value += 1
    case .decrement: _count.value -= 1
    }
  }
}

final class LikesViewController: UIViewController {
  let label = UILabel()
  private let store = LikesStore.instantiate()

  override func viewDidLoad() {
    super.viewDidLoad()
    store.countText.bind(to: label, \.text)
  }

  func incrementButtonTapped() {
    store.actions.increment()
  }

  func decrementButtonTapped() {
    store.actions.decrement()
  }

  func laterButtonTapped() {
    store.actions.incrementLater()
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct MigrationFromVueFlux {
  @MainActor
  @Test func buttonsOfTheViewControllerChangeTheCountAndTheLabel() {
    let controller = LikesViewController()
    controller.viewDidLoad()
    #expect(controller.label.text == "0")

    controller.incrementButtonTapped()
    controller.incrementButtonTapped()
    controller.decrementButtonTapped()

    #expect(controller.label.text == "1")
  }

  @Test func incrementLaterAddsOneToTheCountAfterASecond() async throws {
    let clock = ManualClock()
    let store = LikesStore.instantiate()

    let later = store.actions.incrementLater(on: clock)
    let durations = await clock.sleeping()
    let before = store.countText.value
    await clock.advance(by: .seconds(1))
    try await later.value

    #expect(durations == [.seconds(1)])
    #expect(before == "0")
    #expect(store.countText.value == "1")
  }

  @Test func actionThatTheStoreDidNotCreateReachesTheStore() {
    let store = LikesStore.instantiate()

    LikesAction().increment()

    #expect(store.countText.value == "1")
  }

  @Test func storesOfTwoDispatchersAreIndependent() {
    let log = Variable<[String]>([])
    let print = { @Sendable (texts: String...) in log.value += texts }

    let first = withDispatcher(Dispatcher()) { LikesStore.instantiate() }
    let second = withDispatcher(Dispatcher()) { LikesStore.instantiate() }
    first.actions.increment()
    print(first.countText.value, second.countText.value)  // 1 0

    #expect(log.value == ["1", "0"])
  }
}
