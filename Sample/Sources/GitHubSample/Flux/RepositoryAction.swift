import FluxCapacitor

/// Fetches repositories, and tells the stores how it goes.
package final class RepositoryAction: Actionable {
  package typealias DispatchStateType = Dispatcher.Repository

  private let session: any ApiSession

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
    await fetch { () async throws(ApiError) in
      let isWanted = query.isFiltered ? query.matches : nil
      var pager = Pager(RepositoriesRequest(query), limit: limit, where: isWanted)
      try await session.fetchPages(of: &pager) { repositories, totalCount, hasMore in
        invoke(.addRepositories(repositories, totalCount: totalCount, hasMore: hasMore))
      }
    }
  }

  /// Fetches one repository, which ``RepositoryStore/selectedRepository`` then shows.
  package func fetchRepository(owner: String, name: String) async {
    invoke(.selectRepository(nil))
    await fetch { () async throws(ApiError) in
      let request = RepositoryRequest(owner: owner, name: name)
      invoke(.selectRepository(try await session.send(request)))
    }
  }

  private func fetch(_ body: () async throws(ApiError) -> Void) async {
    invoke(.removeAllRepositories)
    invoke(.isRepositoryFetching(true))
    do throws(ApiError) {
      try await body()
    } catch {
      invoke(.repositoryFetchingFailed(error))
    }
    invoke(.isRepositoryFetching(false))
  }
}
