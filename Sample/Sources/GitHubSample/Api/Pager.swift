/// Decides which page to request next, and which items of a page are new.
///
/// Star counts change between requests, so a repository can be on two pages. The pager accepts such
/// a repository only once. The pager also ends the paging if a server returns the same cursor
/// again.
package struct Pager<Request: PagedRequest> {
  /// The maximum number of items on a page of GitHub's API.
  private static var largestPage: Int { 100 }

  /// The number of successive pages with only known items that ends the paging.
  private static var mostPagesWithoutNews: Int { 3 }

  /// The number of successive pages without items that ends the paging.
  private static var mostEmptyPages: Int { 100 }

  /// Whether the server reports more pages, but returns no usable cursor.
  package private(set) var isStuck = false

  /// Whether the server might have more items than the pager has accepted.
  package var hasMore: Bool { hasNextPage && !isStuck || hasDropped }

  /// The items that the server has left out of the pages so far, with the reason for the first one.
  package private(set) var omission: Omission?

  private let request: Request
  private let limit: Int
  private let isWanted: (Request.Item) -> Bool

  /// Whether pages yield fewer items than requested, because of a filter or because the server leaves items out. Then
  /// a page is as large as possible, although few items are missing.
  private var isSparse: Bool
  private var pageSize = Pager.largestPage
  private var cursor: String?
  private var hasNextPage = true
  private var hasDropped = false
  private var acceptedCount = 0
  private var knownCursors: Set<String> = []
  private var knownIDs: Set<Request.Item.ID> = []
  private var pagesWithoutNews = 0
  private var emptyPages = 0

  /// - Parameters:
  ///   - request: The request for the first page, of any size.
  ///   - limit: The maximum number of items to accept, or nil to accept all items.
  ///   - isWanted: A closure that returns whether to accept an item, or nil to accept every item.
  package init(
    _ request: Request,
    limit: Int?,
    where isWanted: ((Request.Item) -> Bool)? = nil
  ) {
    self.request = request
    self.limit = limit ?? .max
    self.isWanted = isWanted ?? { _ in true }
    isSparse = isWanted != nil
  }

  /// The request for the next page, or nil if the paging has ended.
  package var nextRequest: Request? {
    let missing = limit - acceptedCount
    guard hasNextPage, !isStuck, missing > 0 else { return nil }
    let size = isSparse ? pageSize : min(missing, pageSize)
    return request.page(first: size, after: cursor)
  }

  /// Accepts the page that the server has returned for ``nextRequest``.
  ///
  /// - Returns: The page's new items that pass the filter, up to the limit.
  package mutating func accept(_ page: Page<Request.Item>) -> [Request.Item] {
    let requestedCount = nextRequest?.first ?? 0
    var accepted: [Request.Item] = []
    var hasNews = page.items.isEmpty || page.omission != nil
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
    if let new = page.omission {
      let former = omission?.count ?? 0
      omission = omission ?? new
      omission?.count = former + new.count
    }
    isSparse = isSparse || accepted.count < requestedCount
    pagesWithoutNews = hasNews ? 0 : pagesWithoutNews + 1
    emptyPages = page.items.isEmpty && page.omission == nil ? emptyPages + 1 : 0
    cursor = page.endCursor
    hasNextPage = page.hasNextPage
    if hasNextPage, acceptedCount < limit {
      let isNewCursor = cursor.map { knownCursors.insert($0).inserted } ?? false
      isStuck =
        !isNewCursor || pagesWithoutNews == Pager.mostPagesWithoutNews
        || emptyPages == Pager.mostEmptyPages
    }
    return accepted
  }

  /// Halves the size of the next pages. Smaller pages avoid a timeout at GitHub.
  package mutating func halvePageSize() {
    guard let request = nextRequest else { return }
    pageSize = max(1, request.first / 2)
  }
}
