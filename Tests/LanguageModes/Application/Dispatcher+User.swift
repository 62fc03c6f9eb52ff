import FluxCapacitor

extension Dispatcher {
  enum User: DispatchState {
    typealias RelatedStoreType = UserStore
    typealias RelatedActionType = UserAction

    case isUserFetching(Bool)
    case addUsers([GitHub.User])
    case selectedUser(GitHub.User?)
    case lastSearchQuery(String)
    case userTotalCount(Int)
  }
}
