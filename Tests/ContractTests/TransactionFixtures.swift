import FluxCapacitor
import Foundation
import Synchronization
import Testing

/// Two store types on one state.
enum Twins {
  enum State: DispatchState {
    typealias RelatedStoreType = First
    typealias RelatedActionType = Action
    case note(Int)
  }
  final class Action: Actionable { typealias DispatchStateType = State }
  final class First: Storable, @unchecked Sendable {
    let last: Constant<Int>
    private let _last = Variable(-1)
    private(set) var all: [Int] = []
    let overlaps = Counter()
    private let isReducing = Atomic(false)
    init() { last = Constant(_last) }
    func reduce(with state: State) {
      if isReducing.exchange(true, ordering: .relaxed) { overlaps.add() }
      switch state {
      case .note(let value):
        all.append(value)
        _last.value = value
      }
      isReducing.store(false, ordering: .relaxed)
    }
  }
  final class Second: Storable, @unchecked Sendable {
    let last: Constant<Int>
    private let _last = Variable(-1)
    private(set) var all: [Int] = []
    init() { last = Constant(_last) }
    func reduce(with state: State) {
      switch state {
      case .note(let value):
        all.append(value)
        _last.value = value
      }
    }
  }
}

/// A store of two variables that belong together.
enum Plain {
  enum State: DispatchState {
    typealias RelatedStoreType = Store
    typealias RelatedActionType = Action
    case run(@Sendable () -> Void)
    case set(Int)
  }
  final class Action: Actionable { typealias DispatchStateType = State }
  final class Store: Storable {
    let x: Constant<Int>
    let y: Constant<Int>
    let _x = Variable(0)
    let _y = Variable(0)
    init() {
      x = Constant(_x)
      y = Constant(_y)
    }
    func reduce(with state: State) {
      switch state {
      case .run(let body): body()
      case .set(let value):
        _x.value = value
        _y.value = value
      }
    }
  }
}
