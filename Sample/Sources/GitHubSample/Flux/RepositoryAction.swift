import FluxCapacitor

/// Fetches repositories, and tells the stores how it goes. The newest fetching wins.
package struct RepositoryAction: FetchingAction {
  package typealias DispatchStateType = Dispatcher.Repository

  let session: any ApiSession
  let effects = Effects(.latest)

  package init(session: any ApiSession) {
    self.session = session
  }

  /// Fetches the repositories that match, and returns when all have come or it failed.
  ///
  /// Each page is a state of its own, so that whoever observes the store shows it as it comes. An
  /// error is a state too. Cancelling the task ends the fetching, as an error does.
  ///
  /// - Parameter limit: How many to fetch; nil for all there are.
  package func fetchRepositories(matching query: RepositoryQuery, limit: Int?) async {
    await fetch { effect async throws(ApiError) in
      let isWanted = query.isFiltered ? query.matches : nil
      var pager = Pager(RepositoriesRequest(query), limit: limit, where: isWanted)
      try await session.fetchPages(of: &pager) { items, totalCount, hasMore in
        invoke(.addRepositories(items, totalCount: totalCount, hasMore: hasMore), as: effect)
      }
    }
  }

  /// Fetches one repository, which ``RepositoryStore/selectedRepository`` then shows.
  package func fetchRepository(owner: String, name: String) async {
    await fetch { effect async throws(ApiError) in
      invoke(.selectRepository(nil), as: effect)
      let request = RepositoryRequest(owner: owner, name: name)
      invoke(.selectRepository(try await session.sendUnlessCancelled(request)), as: effect)
    }
  }
}
