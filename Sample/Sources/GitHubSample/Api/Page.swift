/// One page of a list.
package struct Page<Item: Identifiable & Sendable>: Sendable {
  package let items: [Item]

  /// How many there are on all pages together.
  package let totalCount: Int
  package let hasNextPage: Bool

  /// Where the next page begins.
  package let endCursor: String?

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

extension Page: Equatable where Item: Equatable {}

extension Page {
  /// Makes a page of a GraphQL connection, in which nodes may be missing.
  init(nodes: [Item?]?, totalCount: Int, pageInfo: PageInfo) {
    self.init(
      items: (nodes ?? []).compactMap(\.self),
      totalCount: totalCount,
      hasNextPage: pageInfo.hasNextPage,
      endCursor: pageInfo.endCursor
    )
  }
}

/// GraphQL's description of where a page stands among the others.
struct PageInfo: Decodable {
  let hasNextPage: Bool
  let endCursor: String?
}
