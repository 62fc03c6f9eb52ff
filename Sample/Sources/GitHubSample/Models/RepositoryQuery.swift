/// Which repositories of an owner are wanted, and in what order.
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

  /// Nil for the usual one: names from A to Z, the rest from the most or the latest.
  package var direction: Direction?

  // Nil where it doesn't matter.
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

  /// Whether anything is left out.
  package var isFiltered: Bool {
    visibility != nil || isFork != nil || isArchived != nil || language != nil
  }

  /// Whether a repository is one of them.
  ///
  /// GitHub filters too, but not by language, and not every server does.
  package func matches(_ repository: GitHub.Repository) -> Bool {
    visibility.map { $0 == repository.visibility } ?? true
      && isFork.map { $0 == repository.isFork } ?? true
      && isArchived.map { $0 == repository.isArchived } ?? true
      && language.map { $0.lowercased() == repository.primaryLanguage?.lowercased() } ?? true
  }
}
