/// One page of a user's repositories.
package struct RepositoryPage: Equatable, Sendable {
  package let repositories: [GitHub.Repository]

  /// How many there are on all pages together.
  package let totalCount: Int
  package let hasNextPage: Bool

  /// Where the next page begins.
  package let endCursor: String?

  package init(
    repositories: [GitHub.Repository],
    totalCount: Int,
    hasNextPage: Bool = false,
    endCursor: String? = nil
  ) {
    self.repositories = repositories
    self.totalCount = totalCount
    self.hasNextPage = hasNextPage
    self.endCursor = endCursor
  }
}
