import FluxCapacitor

/// Holds the user who is looked at.
package final class UserStore: Storable {
  package typealias DispatchStateType = Dispatcher.User

  package let selectedUser: Constant<GitHub.User?>
  private let _selectedUser = Variable<GitHub.User?>(nil)

  package init() {
    selectedUser = Constant(_selectedUser)
  }

  package func reduce(with state: Dispatcher.User) {
    switch state {
    case .selectUser(let user): _selectedUser.value = user
    }
  }
}
