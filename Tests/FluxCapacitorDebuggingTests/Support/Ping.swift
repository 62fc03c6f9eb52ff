import FluxCapacitor

/// A state that is not `Codable`.
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
