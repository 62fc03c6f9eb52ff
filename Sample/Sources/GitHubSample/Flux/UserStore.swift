import FluxCapacitor

/// Stores the selected user, and the users that a search has found so far.
package final class UserStore: FetchingStore {
  package typealias DispatchStateType = Dispatcher.User

  /// The search for users. The best matches come first.
  package var fetch: Constant<Fetch<GitHub.User>> { _fetch.constant }
  private let _fetch = Variable(Fetch<GitHub.User>())

  package var selectedUser: Constant<GitHub.User?> { _selectedUser.constant }
  private let _selectedUser = Variable<GitHub.User?>(nil)

  package let fetches = Effects(.latest)

  package init() {}

  package func reduce(with state: Dispatcher.User) {
    switch state {
    case .fetch(let event): _fetch.value.reduce(with: event)
    case .selectUser(let user): _selectedUser.value = user
    }
  }
}
