import FluxCapacitor

/// Chooses whose repositories are looked at, and searches for users. The newest fetching wins.
package struct UserAction: FetchingAction {
  package typealias DispatchStateType = Dispatcher.User

  let session: any ApiSession
  let effects = Effects(.latest)

  package init(session: any ApiSession) {
    self.session = session
  }

  /// Selects a user, whom ``UserStore/selectedUser`` then shows.
  package func selectUser(login: String) {
    invoke(.selectUser(GitHub.User(login: login)))
  }

  /// Selects the user whose token it is, and returns when that is done or has failed.
  package func selectViewer() async {
    await fetch { effect async throws(ApiError) in
      invoke(.selectUser(nil), as: effect)
      invoke(.selectUser(try await session.sendUnlessCancelled(ViewerRequest())), as: effect)
    }
  }

  /// Searches for users and organisations, and returns when all have come or it failed.
  ///
  /// - Parameter limit: How many to fetch; nil for all there are.
  package func searchUsers(matching text: String, limit: Int?) async {
    await fetch { effect async throws(ApiError) in
      var pager = Pager(UsersRequest(matching: text), limit: limit)
      try await session.fetchPages(of: &pager) { users, totalCount, _ in
        invoke(.addUsers(users, totalCount: totalCount), as: effect)
      }
    }
  }
}
