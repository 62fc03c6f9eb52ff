/// A query for an owner's repositories, with filters and an order.
package struct RepositoryQuery: Codable, Equatable, Sendable {
  package enum Order: String, CaseIterable, Codable, Sendable {
    case stars, pushed, updated, created, name
  }

  package enum Direction: String, CaseIterable, Codable, Sendable {
    case ascending = "asc"
    case descending = "desc"
  }

  package var login: String
  package var order = Order.stars

  /// The sort direction, or nil for the default. By default, names ascend, and all other keys
  /// descend.
  package var direction: Direction?

  // A filter with the value nil accepts every repository.
  package var visibility: GitHub.Repository.Visibility?
  package var isFork: Bool?
  package var isArchived: Bool?
  package var language: String?

  package init(login: String) {
    self.login = login
  }

  package var sortDirection: Direction {
    direction ?? (order == .name ? .ascending : .descending)
  }

  /// Whether the query has a filter.
  package var isFiltered: Bool {
    visibility != nil || isFork != nil || isArchived != nil || language != nil
  }

  /// Returns whether a repository passes all filters of the query.
  ///
  /// The client has to filter too, because GitHub can't filter by language, and some servers don't
  /// filter at all.
  package func matches(_ repository: GitHub.Repository) -> Bool {
    visibility.map { $0 == repository.visibility } ?? true
      && isFork.map { $0 == repository.isFork } ?? true
      && isArchived.map { $0 == repository.isArchived } ?? true
      && language.map { $0.lowercased() == repository.primaryLanguage?.lowercased() } ?? true
  }
}
