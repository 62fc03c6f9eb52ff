import Dispatch
import FluxCapacitor
import FluxCapacitorTesting
import Testing

#if swift(>=6)
  #error("This target is to be compiled in the Swift 5 language mode.")
#endif

// The Swift 5 language mode must compile this code without warnings.

private protocol CounterSession: AnyObject {
  func fetch(completion: @escaping (Result<Int, Error>) -> Void)
}

/// A session that calls the completion handler on another thread.
private final class QueueSession: CounterSession {
  let queue = DispatchQueue(label: "QueueSession")

  func fetch(completion: @escaping (Result<Int, Error>) -> Void) {
    queue.async { completion(.success(2)) }
  }
}

extension Dispatcher {
  fileprivate enum Counter: DispatchState {
    typealias RelatedStoreType = CounterStore
    typealias RelatedActionType = CounterAction

    case add(Int)
  }
}

private final class CounterStore: Storable {
  let count: Constant<Int>
  private let _count = Variable(0)

  required init() {
    count = Constant(_count)
  }

  func reduce(with state: Dispatcher.Counter) {
    switch state {
    case .add(let amount): _count.value += amount
    }
  }
}

/// An action class that isn't final and has mutable state.
private class CounterAction: Actionable {
  typealias DispatchStateType = Dispatcher.Counter

  let dispatcher = Dispatcher.shared
  private let session: CounterSession
  private var fetches = 0

  init(session: CounterSession) {
    self.session = session
  }

  func fetch() {
    fetches += 1
    session.fetch { [weak self] result in
      switch result {
      case .success(let value): self?.invoke(.add(value))
      case .failure: break
      }
    }
  }
}

private final class CounterViewModel {
  private(set) var titles: [String] = []
  private let store = CounterStore.instantiate()
  private let dustBuster = DustBuster()

  init() {
    store.count
      .observe(on: .main) { [weak self] count in
        self?.titles.append("\(count)")
      }
      .cleaned(by: dustBuster)
    store.count
      .observe(ignoreFirst: true) { [weak self] count in
        self?.titles.append("current \(count)")
      }
      .cleaned(by: dustBuster)
  }
}

private final class Box {
  var content = 0
}

private func call<Trait, Element>(
  _ handler: @escaping (Element) -> Void,
  with value: PrimitiveValue<Trait, Element>
) -> Dust {
  return value.observe(on: .main) { handler($0) }
}

@MainActor
@Suite(.isolatedDispatcher)
struct Swift5Tests {
  @Test func viewModelShowsTheNumberThatAnActionFetchesInSwift5Mode() async {
    let session = QueueSession()
    let action = CounterAction(session: session)
    let viewModel = CounterViewModel()

    action.fetch()
    session.queue.sync {}
    await mainQueueIsEmpty()

    #expect(viewModel.titles == ["0", "current 2", "2"])
  }

  @Test func variableOfANonSendableClassCallsItsObserverInSwift5Mode() {
    let variable = Variable(Box())
    let contents = Variable<[Int]>([])

    let dust = call({ box in contents.value.append(box.content) }, with: variable)
    variable.value = Box()
    dust.clean()

    #expect(contents.value == [0, 0])
  }
}
