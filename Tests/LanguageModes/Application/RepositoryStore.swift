import FluxCapacitor

final class RepositoryStore: Storable {
  let isRepositoryFetching: Constant<Bool>
  let repositories: Constant<[GitHub.Repository]>
  let error: Constant<Error?>

  private let _isRepositoryFetching = Variable(false)
  private let _repositories = Variable<[GitHub.Repository]>([])
  private let _error = Variable<Error?>(nil)

  init() {
    isRepositoryFetching = Constant(_isRepositoryFetching)
    repositories = Constant(_repositories)
    error = Constant(_error)
  }

  func reduce(with state: Dispatcher.Repository) {
    switch state {
    case .isRepositoryFetching(let value):
      _isRepositoryFetching.value = value
    case .addRepositories(let value):
      _repositories.value.append(contentsOf: value)
    case .star(let id):
      guard let index = _repositories.value.firstIndex(where: { $0.id == id }) else { return }
      _repositories.value[index].stargazersCount += 1
    case .failed(let value):
      _error.value = value
    case .removeAllRepositories:
      _repositories.value.removeAll()
    }
  }
}
