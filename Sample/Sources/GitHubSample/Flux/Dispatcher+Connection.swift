import FluxCapacitor

extension Dispatcher {
  /// The states of the connection to the server.
  package enum Connection: DispatchState, Equatable {
    package typealias RelatedStoreType = ConnectionStore
    package typealias RelatedActionType = ConnectionAction

    case wait(ConnectionStore.Wait)
  }
}
