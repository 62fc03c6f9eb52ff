import FluxCapacitor

/// Stores the selected user, and the users that a search has found so far.
package final class UserStore: Storable {
  package typealias DispatchStateType = Dispatcher.User

  package var selectedUser: Constant<GitHub.User?> { _selectedUser.constant }
  private let _selectedUser = Variable<GitHub.User?>(nil)

  package var isUserFetching: Constant<Bool> { _isUserFetching.constant }
  private let _isUserFetching = Variable(false)

  /// The users, in the order in which they were fetched. The best matches come first.
  package var users: Constant<[GitHub.User]> { _users.constant }
  private let _users = Variable<[GitHub.User]>([])

  /// The numbers of fetched users and of all matching users, or nil before the first page.
  package let total: Constant<Total?>
  private let _totalCount = Variable<Int?>(nil)

  /// The error that ended the fetch early. The store keeps the users that were fetched before the
  /// error.
  package var failure: Constant<ApiError?> { _failure.constant }
  private let _failure = Variable<ApiError?>(nil)

  package init() {
    total = Constant.combine(_users, _totalCount).map { users, totalCount in
      totalCount.map { Total(shown: users.count, all: $0, hasMore: users.count < $0) }
    }
  }

  package func reduce(with state: Dispatcher.User) {
    switch state {
    case .selectUser(let user):
      _selectedUser.value = user
    case .isFetching(let isFetching):
      _isUserFetching.value = isFetching
    case .addUsers(let users, let totalCount):
      _users.value.append(contentsOf: users)
      _totalCount.value = totalCount
    case .removeAll:
      _users.value = []
      _totalCount.value = nil
      _failure.value = nil
    case .fetchingFailed(let error):
      _failure.value = error
    }
  }
}
