import Foundation

/// The result of a complete fetch of repositories.
package struct FetchedList: Codable, Equatable, Sendable {
  /// The query, which contains the owner's login.
  package let query: RepositoryQuery
  package let repositories: [GitHub.Repository]
  package let total: Total

  /// The date at which the repositories were fetched.
  package let date: Date

  package init(
    query: RepositoryQuery,
    repositories: [GitHub.Repository],
    total: Total,
    date: Date
  ) {
    self.query = query
    self.repositories = repositories
    self.total = total
    self.date = date
  }
}
