import FluxCapacitor

extension Dispatcher {
  /// The states that select a user and report a search for users.
  package enum User: FetchingState {
    package typealias RelatedStoreType = UserStore
    package typealias RelatedActionType = UserAction

    case selectUser(GitHub.User?)
    case removeAll
    case isFetching(Bool)
    case addUsers([GitHub.User], totalCount: Int)
    case fetchingFailed(ApiError)
  }
}
