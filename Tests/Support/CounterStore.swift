import FluxCapacitor

// The smallest application.

extension Dispatcher {
  package enum Counter: DispatchState, Equatable {
    package typealias RelatedStoreType = CounterStore
    package typealias RelatedActionType = CounterAction

    case add(Int)
    case set(Int)
    case leaveAlone

    package var number: Int {
      switch self {
      case .add(let number), .set(let number): number
      case .leaveAlone: 0
      }
    }
  }
}

package final class CounterAction: Actionable {
  package typealias DispatchStateType = Dispatcher.Counter

  package init() {}
}

/// A store whose reduce sets both variables or neither. The value of `doubled` is twice the value of
/// `count`.
package final class CounterStore: Storable {
  package var count: Constant<Int> { _count.constant }
  package var doubled: Constant<Int> { _doubled.constant }
  private let _count = Variable(0)
  private let _doubled = Variable(0)

  package init() {}

  package func reduce(with state: Dispatcher.Counter) {
    switch state {
    case .add(let amount): _count.value += amount
    case .set(let value): _count.value = value
    case .leaveAlone: return
    }
    _doubled.value = _count.value * 2
  }
}

/// A store that logs the numbers that it reduces.
package final class LogStore: Storable {
  package typealias DispatchStateType = Dispatcher.Counter

  package let log = Log<Int>()

  package init() {}

  package func reduce(with state: Dispatcher.Counter) { log.append(state.number) }
}
