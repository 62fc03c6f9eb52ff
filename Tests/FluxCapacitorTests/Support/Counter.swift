import FluxCapacitor

extension Dispatcher {
  enum Counter: DispatchState {
    typealias RelatedStoreType = CounterStore
    typealias RelatedActionType = CounterAction

    case add(Int)
    case set(Int)
  }
}

final class CounterStore: Storable {
  var count: Constant<Int> { _count.constant }
  var doubled: Constant<Int> { _doubled.constant }
  private let _count = Variable(0)
  private let _doubled = Variable(0)

  func reduce(with state: Dispatcher.Counter) {
    switch state {
    case .add(let amount): _count.value += amount
    case .set(let value): _count.value = value
    }
    _doubled.value = _count.value * 2
  }
}

final class CounterAction: Actionable {
  typealias DispatchStateType = Dispatcher.Counter
}

extension Dispatcher.Counter {
  var number: Int {
    switch self {
    case .add(let number), .set(let number): number
    }
  }
}
