import FluxCapacitor

/// A state type that is not `Codable`.
enum Ping: DispatchState {
  typealias RelatedStoreType = PingStore
  typealias RelatedActionType = PingAction

  case ping
}

struct PingAction: Actionable {
  typealias DispatchStateType = Ping
}

final class PingStore: Storable {
  func reduce(with _: Ping) {}
}
