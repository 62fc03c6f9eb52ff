import FluxCapacitor

/// Selects a user, and searches for users. A newer fetch supersedes an older fetch of any action.
package struct UserAction: FetchingAction {
  package typealias DispatchStateType = Dispatcher.User

  let session: any ApiSession

  package init(session: any ApiSession) {
    self.session = session
  }

  /// Selects a user, which becomes the value of ``UserStore/selectedUser``.
  package func selectUser(login: String) {
    invoke(.selectUser(GitHub.User(login: login)))
  }

  /// Fetches and selects the token's owner, and returns after the fetch has succeeded or failed.
  package func selectViewer() async {
    await fetch { effect async throws(ApiError) in
      invoke(.selectUser(nil), as: effect)
      invoke(.selectUser(try await session.sendUnlessCancelled(ViewerRequest())), as: effect)
    }
  }

  /// Searches for users and organizations, and returns after the last page or after a failure.
  ///
  /// - Parameter limit: The maximum number of users to fetch, or nil to fetch all users.
  package func searchUsers(matching text: String, limit: Int?) async {
    await fetch { effect async throws(ApiError) in
      var pager = Pager(UsersRequest(matching: text), limit: limit)
      try await session.fetchPages(of: &pager) { page, totalCount, hasMore in
        invoke(.fetch(.received(page, totalCount: totalCount, hasMore: hasMore)), as: effect)
      }
    }
  }
}
