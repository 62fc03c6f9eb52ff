import FluxCapacitor

/// Holds the repositories that have come so far, and how the fetching stands.
package final class RepositoryStore: Storable {
  package typealias DispatchStateType = Dispatcher.Repository

  package let isRepositoryFetching: Constant<Bool>
  private let _isRepositoryFetching = Variable<Bool>(false)

  /// In the order in which they came.
  package let repositories: Constant<[GitHub.Repository]>
  private let _repositories = Variable<[GitHub.Repository]>([])

  /// How many repositories the server counts, whatever the number that was asked for.
  package let repositoryTotalCount: Constant<Int>
  private let _repositoryTotalCount = Variable<Int>(0)

  /// Whether there may be more than were asked for.
  package let hasMoreRepositories: Constant<Bool>
  private let _hasMoreRepositories = Variable<Bool>(false)

  package let selectedRepository: Constant<GitHub.Repository?>
  private let _selectedRepository = Variable<GitHub.Repository?>(nil)

  /// Why the fetching ended early; the repositories that came before it stay.
  package let failure: Constant<ApiError?>
  private let _failure = Variable<ApiError?>(nil)

  package init() {
    isRepositoryFetching = Constant(_isRepositoryFetching)
    repositories = Constant(_repositories)
    repositoryTotalCount = Constant(_repositoryTotalCount)
    hasMoreRepositories = Constant(_hasMoreRepositories)
    selectedRepository = Constant(_selectedRepository)
    failure = Constant(_failure)
  }

  package func reduce(with state: Dispatcher.Repository) {
    switch state {
    case .isRepositoryFetching(let isFetching):
      _isRepositoryFetching.value = isFetching
    case .repositoryTotalCount(let count):
      _repositoryTotalCount.value = count
    case .addRepositories(let repositories):
      _repositories.value.append(contentsOf: repositories)
    case .hasMoreRepositories(let hasMore):
      _hasMoreRepositories.value = hasMore
    case .selectRepository(let repository):
      _selectedRepository.value = repository
    case .removeAllRepositories:
      _repositories.value = []
      _repositoryTotalCount.value = 0
      _hasMoreRepositories.value = false
      _failure.value = nil
    case .repositoryFetchingFailed(let error):
      _failure.value = error
    }
  }
}
