/// The number of fetched items and the number of all items.
package struct Total: Codable, Equatable, Sendable {
  package let shown: Int

  /// The number of items on the server, regardless of the user's limit.
  package let all: Int
  package let hasMore: Bool

  package init(shown: Int, all: Int, hasMore: Bool = false) {
    self.shown = shown
    self.all = all
    self.hasMore = hasMore
  }
}
