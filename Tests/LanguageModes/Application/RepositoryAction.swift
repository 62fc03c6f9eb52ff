import FluxCapacitor
import LanguageModesLibrary

final class RepositoryAction: Actionable {
  typealias DispatchStateType = Dispatcher.Repository

  private let session: ApiSession

  init(session: ApiSession = .shared) {
    self.session = session
  }

  func fetchRepositories(withUserId id: String, after: Int?) {
    invoke(.isRepositoryFetching(true))
    let request = UserNodeRequest(id: id, after: after)
    _ = session.send(request) { [weak self] result in
      switch result {
      case .success(let value):
        self?.invoke(.addRepositories(value.nodes))
      case .failure(let error):
        self?.invoke(.failed(error))
      }
      self?.invoke(.isRepositoryFetching(false))
    }
  }
}
