/// One page of a list.
package struct Page<Item: Identifiable & Sendable>: Sendable {
  package let items: [Item]

  /// The total number of items on all pages.
  package let totalCount: Int
  package let hasNextPage: Bool

  /// The cursor at which the next page begins.
  package let endCursor: String?

  /// The items that the server left out of the page, if any.
  package var omission: Omission?

  package init(
    items: [Item],
    totalCount: Int,
    hasNextPage: Bool = false,
    endCursor: String? = nil
  ) {
    self.items = items
    self.totalCount = totalCount
    self.hasNextPage = hasNextPage
    self.endCursor = endCursor
  }
}

/// The items that a server left out of a list, with the reason for the first one.
package struct Omission: Equatable, Sendable {
  package var count: Int
  package let detail: String
  package let singleSignOn: String?
}

extension Page: Equatable where Item: Equatable {}

extension Page {
  /// Creates a page from the nodes of a GraphQL connection that are not null.
  init(nodes: [Item?]?, totalCount: Int, pageInfo: PageInfo) {
    self.init(
      items: (nodes ?? []).compactMap(\.self),
      totalCount: totalCount,
      hasNextPage: pageInfo.hasNextPage,
      endCursor: pageInfo.endCursor
    )
  }
}

/// The part of a GraphQL response that contains a page's end cursor, and tells whether another page
/// follows.
struct PageInfo: Decodable {
  let hasNextPage: Bool
  let endCursor: String?
}
