import Dispatch
import FluxCapacitor
import FluxCapacitorTesting
import Testing

#if swift(<6)
  #error("This target is to be compiled in the Swift 6 language mode.")
#endif

// Swift 6 requires annotations on a session that crosses threads, and on stores and actions that aren't
// final. The library requires no further annotations.

private protocol CounterSession: Sendable {
  func fetch(completion: @escaping @Sendable (Result<Int, any Error>) -> Void)
}

private final class QueueSession: CounterSession {
  let queue = DispatchQueue(label: "QueueSession")

  func fetch(completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
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

private class CounterStore: Storable, @unchecked Sendable {
  let count: Constant<Int>
  fileprivate let _count = Variable(0)

  required init() {
    count = Constant(_count)
  }

  func reduce(with state: Dispatcher.Counter) {
    switch state {
    case .add(let amount): _count.value += amount
    }
  }
}

private final class DoublingCounterStore: CounterStore, @unchecked Sendable {
  override func reduce(with state: Dispatcher.Counter) {
    super.reduce(with: state)
    _count.value *= 2
  }
}

@MainActor
private class CounterAction: Actionable {
  typealias DispatchStateType = Dispatcher.Counter

  let dispatcher = Dispatcher.shared
  private let session: any CounterSession
  private var fetches = 0

  init(session: any CounterSession) {
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

@MainActor
private final class CounterViewModel {
  private(set) var titles: [String] = []
  private let store = CounterStore.instantiate()
  private let dustBuster = DustBuster()

  init() {
    store.count
      .observe(on: .main) { [weak self] in self?.show($0) }
      .cleaned(by: dustBuster)
    store.count
      .observe(on: .main, ignoreFirst: true, changes: show)
      .cleaned(by: dustBuster)
  }

  private func show(_ count: Int) {
    titles.append("\(count)")
  }
}

@MainActor
@Suite(.isolatedDispatcher)
struct Swift6Tests {
  @Test func viewModelShowsTheNumberThatAnActionFetchesInSwift6Mode() async {
    let store = DoublingCounterStore.instantiate()
    let session = QueueSession()
    let action = CounterAction(session: session)
    let viewModel = CounterViewModel()

    action.fetch()
    session.queue.sync {}
    await mainQueueIsEmpty()

    #expect(store.count.value == 4)
    #expect(viewModel.titles == ["0", "4", "4"])
  }

  @Test func observerOnMainChangesALocalVariableWithoutALockInSwift6Mode() {
    let variable = Variable(1)
    var sum = 0

    let dust = variable.observe(on: .main) { sum += $0 }
    variable.value = 2
    dust.clean()

    #expect(sum == 3)
  }
}
