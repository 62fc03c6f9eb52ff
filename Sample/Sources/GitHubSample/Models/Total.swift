/// How much has come, of how much there is.
package struct Total: Equatable, Sendable {
  package let shown: Int

  /// What the server counts, whatever was asked for.
  package let all: Int
  package let hasMore: Bool

  package init(shown: Int, all: Int, hasMore: Bool = false) {
    self.shown = shown
    self.all = all
    self.hasMore = hasMore
  }
}
