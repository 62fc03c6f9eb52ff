import FluxCapacitor

/// Chooses whose repositories are looked at.
package final class UserAction: Actionable {
  package typealias DispatchStateType = Dispatcher.User

  package init() {}

  /// Selects a user, whom ``UserStore/selectedUser`` then shows.
  package func selectUser(login: String) {
    invoke(.selectUser(GitHub.User(login: login)))
  }
}
