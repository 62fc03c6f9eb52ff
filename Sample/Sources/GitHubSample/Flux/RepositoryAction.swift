import FluxCapacitor

/// Fetches repositories, and invokes a state for each step. A newer fetch supersedes an older fetch of any action.
package struct RepositoryAction: FetchingAction {
  package typealias DispatchStateType = Dispatcher.Repository

  let session: any ApiSession

  package init(session: any ApiSession) {
    self.session = session
  }

  /// Fetches the repositories that match a query, and returns after the last page or after a
  /// failure.
  ///
  /// The action invokes a state for each page, so observers of the store can show each page
  /// immediately. The action also invokes a state for an error. Cancelling the task makes the fetch
  /// fail.
  ///
  /// - Parameter limit: The maximum number of repositories to fetch, or nil to fetch all
  ///   repositories.
  package func fetchRepositories(matching query: RepositoryQuery, limit: Int?) async {
    await fetch { effect async throws(ApiError) in
      let isWanted = query.isFiltered ? query.matches : nil
      var pager = Pager(RepositoriesRequest(query), limit: limit, where: isWanted)
      try await session.fetchPages(of: &pager) { page, totalCount, hasMore in
        invoke(.fetch(.received(page, totalCount: totalCount, hasMore: hasMore)), as: effect)
      }
    }
  }

  /// Fetches one repository, which becomes the value of ``RepositoryStore/selectedRepository``.
  package func fetchRepository(owner: String, name: String) async {
    await fetch { effect async throws(ApiError) in
      invoke(.selectRepository(nil), as: effect)
      let request = RepositoryRequest(owner: owner, name: name)
      invoke(.selectRepository(try await session.sendUnlessCancelled(request)), as: effect)
    }
  }
}
