import FluxCapacitor
import Foundation
import Synchronization
import Testing

enum Made {
  static let inits = Counter()
  enum State: DispatchState {
    typealias RelatedStoreType = Store
    typealias RelatedActionType = Action
    case touch
  }
  final class Action: Actionable { typealias DispatchStateType = State }
  final class Store: Storable {
    let reduced = Counter()
    init() { inits.add() }
    func reduce(with state: State) { reduced.add() }
  }
}

enum ScopeA {
  enum State: DispatchState {
    typealias RelatedStoreType = Store
    typealias RelatedActionType = Action
    case touch
  }
  final class Action: Actionable { typealias DispatchStateType = State }
  final class Store: Storable {
    let reduced = Counter()
    func reduce(with state: State) { reduced.add() }
  }
}

enum ScopeB {
  enum State: DispatchState {
    typealias RelatedStoreType = Store
    typealias RelatedActionType = Action
    case touch
  }
  final class Action: Actionable { typealias DispatchStateType = State }
  final class Store: Storable {
    let reduced = Counter()
    func reduce(with state: State) { reduced.add() }
  }
}

/// Generic states: one declaration, many types.
enum Generic<Tag: Sendable>: DispatchState {
  typealias RelatedStoreType = GenericStore<Tag>
  typealias RelatedActionType = GenericAction<Tag>
  case touch
}
final class GenericAction<Tag: Sendable>: Actionable { typealias DispatchStateType = Generic<Tag> }
final class GenericStore<Tag: Sendable>: Storable {
  let reduced = Counter()
  func reduce(with state: Generic<Tag>) { reduced.add() }
}

/// A family: the child stands in for its parent.
enum Family {
  enum State: DispatchState {
    typealias RelatedStoreType = Parent
    typealias RelatedActionType = Action
    case note(Log<String>)
  }
  final class Action: Actionable { typealias DispatchStateType = State }
  class Parent: Storable, @unchecked Sendable {
    required init() {}
    func reduce(with state: State) {
      if case .note(let log) = state { log.append("parent") }
    }
  }
  final class Child: Parent, @unchecked Sendable {
    override func reduce(with state: State) {
      if case .note(let log) = state { log.append("child") }
    }
  }
  final class Cousin: Storable {
    func reduce(with state: State) {
      if case .note(let log) = state { log.append("cousin") }
    }
  }
}

/// Two stores that instantiate each other.
enum Ring {
  enum LeftState: DispatchState {
    typealias RelatedStoreType = Left
    typealias RelatedActionType = LeftAction
  }
  final class LeftAction: Actionable { typealias DispatchStateType = LeftState }
  static let leftHasBegun = Gate()
  static let rightHasBegun = Gate()
  final class Left: Storable {
    init() {
      leftHasBegun.open()
      _ = rightHasBegun.pass(within: 1)
      _ = Right.instantiate()
    }
    func reduce(with state: LeftState) {}
  }
  enum RightState: DispatchState {
    typealias RelatedStoreType = Right
    typealias RelatedActionType = RightAction
  }
  final class RightAction: Actionable { typealias DispatchStateType = RightState }
  final class Right: Storable {
    init() {
      rightHasBegun.open()
      _ = leftHasBegun.pass(within: 1)
      _ = Left.instantiate()
    }
    func reduce(with state: RightState) {}
  }
}

/// A store whose init invokes, and instantiates another whose init invokes.
enum Eager {
  enum OuterState: DispatchState {
    typealias RelatedStoreType = Outer
    typealias RelatedActionType = OuterAction
    case touch
  }
  final class OuterAction: Actionable { typealias DispatchStateType = OuterState }
  final class Outer: Storable {
    let reduced = Counter()
    let inner: Inner
    init() {
      OuterAction().invoke(.touch)
      inner = Inner.instantiate()
      OuterAction().invoke(.touch)
    }
    func reduce(with state: OuterState) { reduced.add() }
  }
  enum InnerState: DispatchState {
    typealias RelatedStoreType = Inner
    typealias RelatedActionType = InnerAction
    case touch
  }
  final class InnerAction: Actionable { typealias DispatchStateType = InnerState }
  final class Inner: Storable {
    let reduced = Counter()
    init() { InnerAction().invoke(.touch) }
    func reduce(with state: InnerState) { reduced.add() }
  }
}

/// A reduce that instantiates the store which another thread is making.
enum Crossing {
  enum UserState: DispatchState {
    typealias RelatedStoreType = User
    typealias RelatedActionType = UserAction
    case want(Dispatcher)
  }
  final class UserAction: Actionable { typealias DispatchStateType = UserState }
  final class User: Storable {
    let wanted = Mutex<Wanted?>(nil)
    func reduce(with state: UserState) {
      guard case .want(let dispatcher) = state else { return }
      let store = withDispatcher(dispatcher) { Wanted.instantiate() }
      wanted.withLock { $0 = store }
    }
  }
  enum WantedState: DispatchState {
    typealias RelatedStoreType = Wanted
    typealias RelatedActionType = WantedAction
    case touch
  }
  final class WantedAction: Actionable { typealias DispatchStateType = WantedState }
  final class Wanted: Storable {
    let reduced = Counter()
    init() {
      WantedAction().invoke(.touch)
      let variable = Variable(0)
      variable.observe { _ in WantedAction().invoke(.touch) }.clean()
      variable.modify { _ in WantedAction().invoke(.touch) }
    }
    func reduce(with state: WantedState) { reduced.add() }
  }
}

enum Churned {
  static let living = Counter()
  enum State: DispatchState {
    typealias RelatedStoreType = Store
    typealias RelatedActionType = ChurnedAction
    case touch
  }
  final class Store: Storable {
    let value: Constant<Int>
    private let _value = Variable(0)
    init() {
      value = Constant(_value)
      living.add()
    }
    deinit {
      // Whatever a deinit may do: it must run under no lock.
      living.add(-1)
      _ = Sibling.instantiate()
      ChurnedAction().invoke(.touch)
    }
    func reduce(with state: State) { _value.value += 1 }
  }
  final class Sibling: Storable {
    init() { living.add() }
    deinit { living.add(-1) }
    func reduce(with state: State) {}
  }
}
final class ChurnedAction: Actionable { typealias DispatchStateType = Churned.State }

enum Unregistering {
  enum State: DispatchState {
    typealias RelatedStoreType = First
    typealias RelatedActionType = Action
    case run(@Sendable () -> Void)
  }
  final class Action: Actionable { typealias DispatchStateType = State }
  final class First: Storable {
    let reduced = Counter()
    func reduce(with state: State) {
      reduced.add()
      if case .run(let body) = state { body() }
    }
  }
  final class Second: Storable {
    let reduced = Counter()
    func reduce(with state: State) { reduced.add() }
  }
}
