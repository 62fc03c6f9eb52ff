import FluxCapacitor
import LanguageModesLibrary

final class UserAction: Actionable {
  typealias DispatchStateType = Dispatcher.User

  private let session: ApiSession

  init(session: ApiSession = .shared) {
    self.session = session
  }

  func fetchUsers(withQuery query: String) {
    invoke(.lastSearchQuery(query))
    invoke(.isUserFetching(true))
    let request = SearchUserRequest(query: query)
    _ = session.send(request) { [weak self] in
      switch $0 {
      case .success(let value):
        self?.invoke(.addUsers(value.nodes))
        self?.invoke(.userTotalCount(value.totalCount))
      case .failure:
        break
      }
      self?.invoke(.isUserFetching(false))
    }
  }
}
