import FluxCapacitor

/// Holds the user who is looked at, and the users that a search has found so far.
package final class UserStore: Storable {
  package typealias DispatchStateType = Dispatcher.User

  package let selectedUser: Constant<GitHub.User?>
  private let _selectedUser = Variable<GitHub.User?>(nil)

  package let isUserFetching: Constant<Bool>
  private let _isUserFetching = Variable(false)

  /// In the order in which they came: the best matches first.
  package let users: Constant<[GitHub.User]>
  private let _users = Variable<[GitHub.User]>([])

  /// How many the search matches, whatever the number that was asked for.
  package let userTotalCount: Constant<Int>
  private let _userTotalCount = Variable(0)

  /// Why the fetching ended early; the users that came before it stay.
  package let failure: Constant<ApiError?>
  private let _failure = Variable<ApiError?>(nil)

  package init() {
    selectedUser = Constant(_selectedUser)
    isUserFetching = Constant(_isUserFetching)
    users = Constant(_users)
    userTotalCount = Constant(_userTotalCount)
    failure = Constant(_failure)
  }

  package func reduce(with state: Dispatcher.User) {
    switch state {
    case .selectUser(let user):
      _selectedUser.value = user
    case .isUserFetching(let isFetching):
      _isUserFetching.value = isFetching
    case .userTotalCount(let count):
      _userTotalCount.value = count
    case .addUsers(let users):
      _users.value.append(contentsOf: users)
    case .removeAllUsers:
      _users.value = []
      _userTotalCount.value = 0
      _failure.value = nil
    case .userFetchingFailed(let error):
      _failure.value = error
    }
  }
}
