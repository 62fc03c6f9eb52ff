import FluxCapacitor
import FluxCapacitorTesting
import Testing

#if canImport(UIKit) && !os(watchOS)
  import UIKit
#endif

extension Dispatcher {
  enum Steps: DispatchState {
    typealias RelatedStoreType = StepsStore
    typealias RelatedActionType = StepsAction

    case increment
    case decrement
    case fetched(Int)
  }
}

final class StepsStore: Storable {
  let effects = Effects(.first)
  var count: Constant<Int> { _count.constant }
  let countText: Constant<String>
  private let _count = Variable(0)

  init() {
    countText = _count.map { String($0) }.removeDuplicates()
  }

  func reduce(with state: Dispatcher.Steps) {
    switch state {
    case .increment: _count.value += 1
    case .decrement: _count.value -= 1
    case .fetched(let count): _count.value += count
    }
  }
}

struct StepsService: Sendable {
  let steps: @Sendable () async -> Int
}

extension StepsService {
  static let live = StepsService { 10 }
}

struct StepsAction: Actionable {
  typealias DispatchStateType = Dispatcher.Steps

  let service: StepsService
  private var effects: Effects { StepsStore.instantiate().effects }

  func fetch() {
    effects.run { effect in invoke(.fetched(await service.steps()), as: effect) }
  }
}

final class StepsViewController: UIViewController {
  let label = UILabel()
  private let store = StepsStore.instantiate()
  private let action = StepsAction(service: .live)

  override func viewDidLoad() {
    super.viewDidLoad()
    store.countText.bind(to: label, \.text)
  }

  func incrementButtonTapped() {
    action.invoke(.increment)
  }

  func decrementButtonTapped() {
    action.invoke(.decrement)
  }

  func fetchButtonTapped() {
    action.fetch()
  }
}

@MainActor
final class StepsBridge {
  private let store = StepsStore.instantiate()
  private let dustBuster = DustBuster()

  init(dispatch: @escaping @MainActor (_ count: Int) -> Void) {
    store.count.observe(on: .main) { dispatch($0) }.cleaned(by: dustBuster)
  }
}

@Suite(.isolatedDispatcher)
struct StepsTests {
  @Test func incrementAddsOneToTheCount() {
    let tester = StoreTester(StepsStore.self)

    tester.invoke(.increment) {
      Change(\.count, to: 1)
    }
  }

  @Test func fetchAddsTheFetchedSteps() async {
    let tester = StoreTester(StepsStore.self)
    let action = StepsAction(service: StepsService { 10 })

    await tester.expect {
      Change(\.count, to: 10)
    } when: {
      action.fetch()
      await Dispatcher.shared.settled()
    }
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct MigrationFromReSwift {
  @MainActor
  @Test func buttonsOfTheViewControllerChangeTheTextOfTheLabel() async {
    let controller = StepsViewController()
    controller.viewDidLoad()
    #expect(controller.label.text == "0")

    controller.incrementButtonTapped()
    controller.incrementButtonTapped()
    controller.decrementButtonTapped()
    #expect(controller.label.text == "1")

    controller.fetchButtonTapped()
    await Dispatcher.shared.settled()
    #expect(controller.label.text == "11")
  }

  @Test func effectsWithTheFirstPolicyIgnoreASecondFetchDuringAFetch() async {
    let gate = Gate()
    let store = StepsStore.instantiate()
    let action = StepsAction(
      service: StepsService {
        await gate.pass()
        return 10
      }
    )

    action.fetch()
    await gate.reached()
    action.fetch()
    #expect(store.effects.isRunning.value)
    gate.open()
    await Dispatcher.shared.settled()

    #expect(!store.effects.isRunning.value)
    #expect(store.count.value == 10)
  }

  @MainActor
  @Test func bridgeDispatchesEachCount() {
    var counts: [Int] = []
    let bridge = StepsBridge { counts.append($0) }

    Invoker<Dispatcher.Steps>().invoke(.increment)

    #expect(counts == [0, 1])
    withExtendedLifetime(bridge) {}
  }

  @Test func removeDuplicatesDoesNotDeliverAnEqualTextAgain() {
    let store = StepsStore.instantiate()
    let action = StepsAction(service: StepsService { 0 })
    let log = Variable<[String]>([])
    let dust = store.countText.observe { text in log.value.append(text) }

    action.invoke(.fetched(0))
    action.invoke(.increment)

    #expect(log.value == ["0", "1"])
    dust.clean()
  }

  @Test func interceptorReceivesEachInvokedState() {
    let log = Variable<[String]>([])
    let print = { @Sendable (state: any DispatchState) in log.value.append("\(state)") }
    let action = StepsAction(service: StepsService { 0 })

    let dust = Dispatcher.shared.intercept { event in
      print(event.state)
    }

    action.invoke(.increment)
    action.invoke(.fetched(3))
    #expect(log.value == ["increment", "fetched(3)"])
    dust.clean()
  }
}
