import FluxCapacitor

extension Dispatcher {
  /// The states that select a user and report a search for users.
  package enum User: FetchingState {
    package typealias RelatedStoreType = UserStore
    package typealias RelatedActionType = UserAction

    case fetch(Fetch<GitHub.User>.Event)
    case selectUser(GitHub.User?)
  }
}
