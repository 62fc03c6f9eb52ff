/// Decides which page to ask for next, and what of a page is new.
///
/// Star counts change while pages come, so that a repository can come twice; and a server may give
/// cursors that lead nowhere. Neither may repeat a repository or go on for ever.
package struct RepositoryPager {
  /// The largest page that GitHub gives.
  private static let largestPage = 100

  /// How many pages in a row may bring nothing new.
  private static let patience = 3

  /// Whether the server says that there is more, and gives no way to get there.
  package private(set) var isStuck = false

  private let login: String
  private let limit: Int
  private var pageSize = RepositoryPager.largestPage
  private var cursor: String?
  private var hasNextPage = true
  private var knownCursors: Set<String> = []
  private var knownIDs: Set<GitHub.Repository.ID> = []
  private var pagesWithoutNews = 0

  /// - Parameter limit: How many repositories to ask for; nil for all there are.
  package init(login: String, limit: Int?) {
    self.login = login
    self.limit = limit ?? .max
  }

  /// Whether no page has come yet.
  package var isAtFirstPage: Bool { cursor == nil }

  /// The page to ask for, or nil if there are no more to be had.
  package var nextRequest: RepositoriesRequest? {
    let missing = limit - knownIDs.count
    guard hasNextPage, !isStuck, missing > 0 else { return nil }
    return RepositoriesRequest(login: login, first: min(missing, pageSize), after: cursor)
  }

  /// Takes the page that was asked for.
  ///
  /// - Returns: The repositories in it that had not come before, up to the limit.
  package mutating func accept(_ page: RepositoryPage) -> [GitHub.Repository] {
    var new: [GitHub.Repository] = []
    for repository in page.repositories where knownIDs.count < limit {
      if knownIDs.insert(repository.id).inserted { new.append(repository) }
    }
    pagesWithoutNews = new.isEmpty ? pagesWithoutNews + 1 : 0
    cursor = page.endCursor
    hasNextPage = page.hasNextPage
    if hasNextPage, knownIDs.count < limit {
      let isNewCursor = cursor.map { knownCursors.insert($0).inserted } ?? false
      isStuck = !isNewCursor || pagesWithoutNews == RepositoryPager.patience
    }
    return new
  }

  /// Halves the pages from here on: GitHub stops a query that takes too long.
  package mutating func askForLess() {
    guard let size = nextRequest?.variables.first else { return }
    pageSize = max(1, size / 2)
  }
}
