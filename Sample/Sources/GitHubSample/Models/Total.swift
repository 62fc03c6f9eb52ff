/// How many items have been fetched, of how many there are.
package struct Total: Equatable, Sendable {
  package let shown: Int

  /// The server's count, whatever the limit is.
  package let all: Int
  package let hasMore: Bool

  package init(shown: Int, all: Int, hasMore: Bool = false) {
    self.shown = shown
    self.all = all
    self.hasMore = hasMore
  }
}
