import FluxCapacitor

// What is dispatched: the same as the floor's store does by hand.

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

// Any number of other stores, each on a type of states of its own: one for each sequence of bits.

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

/// Instantiates so many other stores.
func otherStores(_ count: Int) -> [AnyObject] {
  var stores: [AnyObject] = []
  add(Zero.self, bits: 10)
  return stores

  func add<Name>(_: Name.Type, bits: Int) {
    guard stores.count < count else { return }
    if bits == 0 {
      stores.append(OtherStore<Name>.instantiate())
    } else {
      add(Bits<Name, Zero>.self, bits: bits - 1)
      add(Bits<Name, One>.self, bits: bits - 1)
    }
  }
}
