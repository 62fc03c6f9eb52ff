import FluxCapacitor

/// Stores the selected user, and the users that a search has found so far.
package final class UserStore: Storable {
  package typealias DispatchStateType = Dispatcher.User

  package let selectedUser: Constant<GitHub.User?>
  private let _selectedUser = Variable<GitHub.User?>(nil)

  package let isUserFetching: Constant<Bool>
  private let _isUserFetching = Variable(false)

  /// The users, in the order in which they were fetched. The best matches come first.
  package let users: Constant<[GitHub.User]>
  private let _users = Variable<[GitHub.User]>([])

  /// The numbers of fetched users and of all matching users, or nil before the first page.
  package let total: Constant<Total?>
  private let _totalCount = Variable<Int?>(nil)

  /// The error that ended the fetch early. The store keeps the users that were fetched before the
  /// error.
  package let failure: Constant<ApiError?>
  private let _failure = Variable<ApiError?>(nil)

  package init() {
    selectedUser = Constant(_selectedUser)
    isUserFetching = Constant(_isUserFetching)
    users = Constant(_users)
    total = Constant.combine(users, Constant(_totalCount)).map { users, totalCount in
      totalCount.map { Total(shown: users.count, all: $0, hasMore: users.count < $0) }
    }
    failure = Constant(_failure)
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
