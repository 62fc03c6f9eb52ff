import FluxCapacitor

/// A state with a closure that each of three stores runs in `reduce`.
enum Relay: DispatchState {
  typealias RelatedStoreType = FirstStore

  case run(@Sendable (any RelayStore) -> Void)
}

protocol RelayStore: Storable where DispatchStateType == Relay {}

extension RelayStore {
  var name: String { "\(Self.self)" }

  /// Calls `waitFor`, which is not available on `any RelayStore`.
  func wait<S: RelayStore>(for type: S.Type) { waitFor(type) }

  func reduce(with state: Relay) {
    switch state {
    case .run(let body): body(self)
    }
  }
}

final class FirstStore: RelayStore {
  typealias DispatchStateType = Relay
}

class SecondStore: RelayStore, @unchecked Sendable {
  typealias DispatchStateType = Relay

  required init() {}
}

final class SecondSubclassStore: SecondStore, @unchecked Sendable {}

final class ThirdStore: RelayStore {
  typealias DispatchStateType = Relay

  let number = Variable(0)
}

/// Instantiates and registers a `FirstStore`, a `SecondStore` and a `ThirdStore`, in this order.
func relayStores() -> (FirstStore, SecondStore, ThirdStore) {
  (.instantiate(), .instantiate(), .instantiate())
}
