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
  let count: Constant<Int>
  let doubled: Constant<Int>
  private let _count = Variable(0)
  private let _doubled = Variable(0)

  init() {
    count = Constant(_count)
    doubled = Constant(_doubled)
  }

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
