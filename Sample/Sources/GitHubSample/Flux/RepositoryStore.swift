import FluxCapacitor

/// Stores the fetched repositories and the selected repository.
package final class RepositoryStore: FetchingStore {
  package typealias DispatchStateType = Dispatcher.Repository

  package var fetch: Constant<Fetch<GitHub.Repository>> { _fetch.constant }
  private let _fetch = Variable(Fetch<GitHub.Repository>())

  package var selectedRepository: Constant<GitHub.Repository?> { _selectedRepository.constant }
  private let _selectedRepository = Variable<GitHub.Repository?>(nil)

  package let fetches = Effects(.latest)

  package init() {}

  package func reduce(with state: Dispatcher.Repository) {
    switch state {
    case .fetch(let event): _fetch.value.reduce(with: event)
    case .selectRepository(let repository): _selectedRepository.value = repository
    }
  }
}
