import FluxCapacitor

extension Dispatcher {
  /// The states of whose repositories are looked at.
  package enum User: DispatchState {
    package typealias RelatedStoreType = UserStore
    package typealias RelatedActionType = UserAction

    case selectUser(GitHub.User)
  }
}
