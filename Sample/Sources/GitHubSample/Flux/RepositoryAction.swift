import FluxCapacitor

/// Fetches a user's repositories, page by page, and tells the stores how it goes.
package final class RepositoryAction: Actionable {
  package typealias DispatchStateType = Dispatcher.Repository

  private let session: any ApiSession

  package init(session: any ApiSession) {
    self.session = session
  }

  /// Fetches the most starred repositories of a user, and returns when all have come or it failed.
  ///
  /// Each page is a state of its own, so that whoever observes the store shows it as it comes. An
  /// error is a state too. Cancelling the task ends the fetching, as an error does.
  ///
  /// - Parameter limit: How many to fetch; nil for all there are.
  package func fetchRepositories(of user: GitHub.User, limit: Int?) async {
    invoke(.removeAllRepositories)
    invoke(.isRepositoryFetching(true))
    var pager = RepositoryPager(login: user.login, limit: limit)
    do throws(ApiError) {
      while let page = try await nextPage(of: &pager) {
        invoke(.repositoryTotalCount(page.totalCount))
        invoke(.addRepositories(pager.accept(page)))
      }
      if pager.isStuck {
        throw ApiError(.pagesWithoutEnd, at: session.place)
      }
    } catch {
      invoke(.repositoryFetchingFailed(error))
    }
    invoke(.isRepositoryFetching(false))
  }

  private func nextPage(
    of pager: inout RepositoryPager
  ) async throws(ApiError) -> RepositoryPage? {
    var retries = RetryPolicy(isConnectionReused: !pager.isAtFirstPage)
    while let request = pager.nextRequest {
      do {
        return try await session.send(request)
      } catch {
        switch retries.decision(after: error.reason) {
        case .giveUp: throw error
        case .askAgain: continue
        case .askForLess: pager.askForLess()
        }
      }
    }
    return nil
  }
}
