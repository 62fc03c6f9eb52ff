import FluxCapacitor

extension Dispatcher {
  /// The states that fetching a user's repositories goes through.
  package enum Repository: DispatchState {
    package typealias RelatedStoreType = RepositoryStore
    package typealias RelatedActionType = RepositoryAction

    case isRepositoryFetching(Bool)
    case addRepositories([GitHub.Repository], totalCount: Int, hasMore: Bool)
    case removeAllRepositories
    case selectRepository(GitHub.Repository?)
    case repositoryFetchingFailed(ApiError)
  }
}
