/// Decides which page to ask for next, and what of a page is new.
///
/// Star counts change while pages come, so that a repository can come twice; and a server may give
/// cursors that lead nowhere. Neither may repeat an item or go on for ever.
package struct Pager<Request: PagedRequest> {
  /// The largest page that GitHub gives.
  private static var largestPage: Int { 100 }

  /// How many pages in a row may bring nothing new.
  private static var patience: Int { 3 }

  /// Whether the server says that there is more, and gives no way to get there.
  package private(set) var isStuck = false

  /// Whether there is more beyond the limit.
  package var hasMore: Bool { hasNextPage && !isStuck || hasDropped }

  private let request: Request
  private let limit: Int
  private let isWanted: (Request.Item) -> Bool
  private let isFiltered: Bool
  private var pageSize = Pager.largestPage
  private var cursor: String?
  private var hasNextPage = true
  private var hasDropped = false
  private var acceptedCount = 0
  private var knownCursors: Set<String> = []
  private var knownIDs: Set<Request.Item.ID> = []
  private var pagesWithoutNews = 0

  /// - Parameters:
  ///   - request: The request for the first page, of whatever size.
  ///   - limit: How many items to take; nil for all there are.
  ///   - isWanted: Which items count; nil for all.
  package init(
    _ request: Request,
    limit: Int?,
    where isWanted: ((Request.Item) -> Bool)? = nil
  ) {
    self.request = request
    self.limit = limit ?? .max
    self.isWanted = isWanted ?? { _ in true }
    isFiltered = isWanted != nil
  }

  /// The page to ask for, or nil if there are no more to be had.
  package var nextRequest: Request? {
    let missing = limit - acceptedCount
    guard hasNextPage, !isStuck, missing > 0 else { return nil }
    let size = isFiltered ? pageSize : min(missing, pageSize)
    return request.page(first: size, after: cursor)
  }

  /// Takes the page that was asked for.
  ///
  /// - Returns: The wanted items in it that had not come before, up to the limit.
  package mutating func accept(_ page: Page<Request.Item>) -> [Request.Item] {
    var accepted: [Request.Item] = []
    var hasNews = false
    for item in page.items where knownIDs.insert(item.id).inserted {
      hasNews = true
      guard isWanted(item) else { continue }
      if acceptedCount < limit {
        accepted.append(item)
        acceptedCount += 1
      } else {
        hasDropped = true
      }
    }
    pagesWithoutNews = hasNews ? 0 : pagesWithoutNews + 1
    cursor = page.endCursor
    hasNextPage = page.hasNextPage
    if hasNextPage, acceptedCount < limit {
      let isNewCursor = cursor.map { knownCursors.insert($0).inserted } ?? false
      isStuck = !isNewCursor || pagesWithoutNews == Pager.patience
    }
    return accepted
  }

  /// Halves the pages from here on: GitHub stops a query that takes too long.
  package mutating func halvePages() {
    guard let request = nextRequest else { return }
    pageSize = max(1, request.first / 2)
  }
}
