/// A query for an owner's repositories, with filters and an order.
package struct RepositoryQuery: Equatable, Sendable {
  package enum Order: String, CaseIterable, Sendable {
    case stars, pushed, updated, created, name
  }

  package enum Direction: String, CaseIterable, Sendable {
    case ascending = "asc"
    case descending = "desc"
  }

  package var login: String
  package var order = Order.stars

  /// The direction of the order; nil for the usual one. Usually names ascend, and all other keys
  /// descend.
  package var direction: Direction?

  // The filters. A filter that is nil lets every repository pass.
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

  /// Returns whether a repository passes the filters.
  ///
  /// GitHub filters too, but not by language, and not every server filters.
  package func matches(_ repository: GitHub.Repository) -> Bool {
    visibility.map { $0 == repository.visibility } ?? true
      && isFork.map { $0 == repository.isFork } ?? true
      && isArchived.map { $0 == repository.isArchived } ?? true
      && language.map { $0.lowercased() == repository.primaryLanguage?.lowercased() } ?? true
  }
}
