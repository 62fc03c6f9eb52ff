import FluxCapacitor

// The example application of the documents.

extension Dispatcher.Counter: Codable {}

extension Dispatcher {
  enum Counter: DispatchState {
    typealias RelatedStoreType = CounterStore
    typealias RelatedActionType = CounterAction

    case add(Int)
    case reset
  }
}

final class CounterStore: Storable {
  var count: Constant<Int> { _count.constant }
  private let _count = Variable(0)

  func reduce(with state: Dispatcher.Counter) {
    switch state {
    case .add(let amount): _count.value += amount
    case .reset: _count.value = 0
    }
  }
}

final class CounterAction: Actionable {
  typealias DispatchStateType = Dispatcher.Counter

  func increment() {
    invoke(.add(1))
  }
}
