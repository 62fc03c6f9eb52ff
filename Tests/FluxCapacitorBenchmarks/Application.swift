import FluxCapacitor

// The dispatched states and their store, which does the same as the handwritten store of the floor.

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
  private let _count = Variable(0)

  init() {
    count = Constant(_count)
  }

  func reduce(with state: Dispatcher.Counter) {
    switch state {
    case .add(let amount): _count.value += amount
    case .set(let value): _count.value = value
    }
  }
}

final class CounterAction: Actionable {
  typealias DispatchStateType = Dispatcher.Counter
}

// Any number of other stores. Each has its own type of states, which a sequence of bits identifies.

enum Zero {}
enum One {}
enum Bits<Rest, Last> {}

enum OtherState<Name>: DispatchState {
  typealias RelatedStoreType = OtherStore<Name>
  typealias RelatedActionType = OtherAction<Name>
}

final class OtherStore<Name>: Storable {
  func reduce(with _: OtherState<Name>) {}
}

struct OtherAction<Name>: Actionable {
  typealias DispatchStateType = OtherState<Name>
}

/// One of any number of stores for the counter's states.
final class CountingStore<Name>: Storable {
  private let count = Variable(0)

  func reduce(with state: Dispatcher.Counter) {
    switch state {
    case .add(let amount): count.value += amount
    case .set(let value): count.value = value
    }
  }
}

/// Instantiates a number of stores that the counter's states don't reach.
func otherStores(_ count: Int) -> [AnyObject] {
  var stores: [AnyObject] = []
  forEachName(count) { stores.append(otherStore(of: $0)) }
  return stores
}

/// Instantiates a number of stores for the counter's states.
func countingStores(_ count: Int) -> [AnyObject] {
  var stores: [AnyObject] = []
  forEachName(count) { stores.append(countingStore(of: $0)) }
  return stores
}

private func otherStore<Name>(of _: Name.Type) -> AnyObject { OtherStore<Name>.instantiate() }

private func countingStore<Name>(of _: Name.Type) -> AnyObject { CountingStore<Name>.instantiate() }

/// Calls a body with a number of types, each of which consists of ten bits.
private func forEachName(_ count: Int, _ body: (any Any.Type) -> Void) {
  var rest = count
  visit(Zero.self, bits: 10)

  func visit<Name>(_: Name.Type, bits: Int) {
    guard rest > 0 else { return }
    if bits == 0 {
      rest -= 1
      body(Name.self)
    } else {
      visit(Bits<Name, Zero>.self, bits: bits - 1)
      visit(Bits<Name, One>.self, bits: bits - 1)
    }
  }
}
