import FluxCapacitor

extension Dispatcher {
  /// The states that a fetch of a user's repositories invokes.
  package enum Repository: FetchingState {
    package typealias RelatedStoreType = RepositoryStore
    package typealias RelatedActionType = RepositoryAction

    case removeAll
    case isFetching(Bool)
    case addRepositories([GitHub.Repository], totalCount: Int, hasMore: Bool)
    case selectRepository(GitHub.Repository?)
    case fetchingFailed(ApiError)
  }
}
