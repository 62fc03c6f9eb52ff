import FluxCapacitor

/// Stores the fetched repositories, the selected repository, and the status of the fetch.
package final class RepositoryStore: Storable {
  package typealias DispatchStateType = Dispatcher.Repository

  package var isRepositoryFetching: Constant<Bool> { _isRepositoryFetching.constant }
  private let _isRepositoryFetching = Variable<Bool>(false)

  /// The repositories, in the order in which they were fetched.
  package var repositories: Constant<[GitHub.Repository]> { _repositories.constant }
  private let _repositories = Variable<[GitHub.Repository]>([])

  /// The numbers of fetched repositories and of all repositories, or nil before the first page.
  package let total: Constant<Total?>
  private let _totalCount = Variable<Int?>(nil)
  private let _hasMore = Variable<Bool>(false)

  package var selectedRepository: Constant<GitHub.Repository?> { _selectedRepository.constant }
  private let _selectedRepository = Variable<GitHub.Repository?>(nil)

  /// The error that ended the fetch early. The store keeps the repositories that were fetched
  /// before the error.
  package var failure: Constant<ApiError?> { _failure.constant }
  private let _failure = Variable<ApiError?>(nil)

  package init() {
    total = Constant.combine(_repositories, _totalCount, _hasMore)
      .map { repositories, totalCount, hasMore in
        totalCount.map { Total(shown: repositories.count, all: $0, hasMore: hasMore) }
      }
  }

  package func reduce(with state: Dispatcher.Repository) {
    switch state {
    case .isFetching(let isFetching):
      _isRepositoryFetching.value = isFetching
    case .addRepositories(let repositories, let totalCount, let hasMore):
      _repositories.value.append(contentsOf: repositories)
      _totalCount.value = totalCount
      _hasMore.value = hasMore
    case .selectRepository(let repository):
      _selectedRepository.value = repository
    case .removeAll:
      _repositories.value = []
      _totalCount.value = nil
      _hasMore.value = false
      _failure.value = nil
    case .fetchingFailed(let error):
      _failure.value = error
    }
  }
}
