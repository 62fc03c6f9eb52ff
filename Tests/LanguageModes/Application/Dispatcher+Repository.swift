import FluxCapacitor

extension Dispatcher {
  enum Repository: DispatchState {
    typealias RelatedStoreType = RepositoryStore
    typealias RelatedActionType = RepositoryAction

    case isRepositoryFetching(Bool)
    case addRepositories([GitHub.Repository])
    case star(id: String)
    case failed(Error)
    case removeAllRepositories
  }
}
