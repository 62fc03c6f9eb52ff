import FluxCapacitor

extension Dispatcher {
  /// The states that fetch a user's repositories, or a single repository.
  package enum Repository: FetchingState {
    package typealias RelatedStoreType = RepositoryStore
    package typealias RelatedActionType = RepositoryAction

    case fetch(Fetch<GitHub.Repository>.Event)
    case selectRepository(GitHub.Repository?)
  }
}
