import FluxCapacitor

final class UserStore: Storable {
  typealias DispatchStateType = Dispatcher.User

  let isUserFetching: Constant<Bool>
  private let _isUserFetching = Variable<Bool>(false)

  let users: Constant<[GitHub.User]>
  private let _users = Variable<[GitHub.User]>([])

  let selectedUser: Constant<GitHub.User?>
  private let _selectedUser = Variable<GitHub.User?>(nil)

  let lastSearchQuery: Constant<String>
  private let _lastSearchQuery = Variable<String>("")

  let userTotalCount: Constant<Int?>
  private let _userTotalCount = Variable<Int?>(nil)

  required init() {
    self.isUserFetching = Constant(_isUserFetching)
    self.users = Constant(_users)
    self.selectedUser = Constant(_selectedUser)
    self.lastSearchQuery = Constant(_lastSearchQuery)
    self.userTotalCount = Constant(_userTotalCount)
  }

  func reduce(with state: Dispatcher.User) {
    switch state {
    case .isUserFetching(let value):
      _isUserFetching.value = value
    case .addUsers(let value):
      _users.value.append(contentsOf: value)
    case .selectedUser(let value):
      _selectedUser.value = value
    case .lastSearchQuery(let value):
      _lastSearchQuery.value = value
    case .userTotalCount(let value):
      _userTotalCount.value = value
    }
  }
}
