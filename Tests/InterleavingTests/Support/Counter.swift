import FluxCapacitor

// The smallest application.

extension Dispatcher {
  enum Counter: DispatchState {
    typealias RelatedStoreType = CounterStore
    typealias RelatedActionType = CounterAction

    case add(Int)
    case set(Int)
    case leaveAlone
  }
}

/// A store whose reduce sets both variables or neither. The value of `doubled` is twice the value of
/// `count`.
final class CounterStore: Storable {
  var count: Constant<Int> { _count.constant }
  var doubled: Constant<Int> { _doubled.constant }
  private let _count = Variable(0)
  private let _doubled = Variable(0)

  func reduce(with state: Dispatcher.Counter) {
    switch state {
    case .add(let amount): _count.value += amount
    case .set(let value): _count.value = value
    case .leaveAlone: return
    }
    _doubled.value = _count.value * 2
  }
}

struct CounterAction: Actionable {
  typealias DispatchStateType = Dispatcher.Counter
}
