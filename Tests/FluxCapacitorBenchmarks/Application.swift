import FluxCapacitor

// The states that the benchmarks dispatch, and a store that does the same as `FloorStore`.

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
  private let _count = Variable(0)

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

// A family of stores, each with its own type of states. The generic argument `Name` encodes a number in bits.

enum Zero {}
enum One {}
enum Bits<Rest, Last> {}

enum OtherState<Name>: DispatchState {
  typealias RelatedStoreType = OtherStore<Name>
}

final class OtherStore<Name>: Storable {
  func reduce(with _: OtherState<Name>) {}
}

/// A store for the counter's states. Each generic argument makes a separate type of store.
final class CountingStore<Name>: Storable {
  private let count = Variable(0)

  func reduce(with state: Dispatcher.Counter) {
    switch state {
    case .add(let amount): count.value += amount
    case .set(let value): count.value = value
    }
  }
}

/// Instantiates `count` stores that the counter's states don't reach.
func otherStores(_ count: Int) -> [AnyObject] {
  var stores: [AnyObject] = []
  forEachName(count) { stores.append(otherStore(of: $0)) }
  return stores
}

/// Instantiates `count` stores that the counter's states reach.
func countingStores(_ count: Int) -> [AnyObject] {
  var stores: [AnyObject] = []
  forEachName(count) { stores.append(countingStore(of: $0)) }
  return stores
}

private func otherStore<Name>(of _: Name.Type) -> AnyObject { OtherStore<Name>.instantiate() }

private func countingStore<Name>(of _: Name.Type) -> AnyObject { CountingStore<Name>.instantiate() }

/// Calls a body with `count` types, each of which encodes a number in ten bits.
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
