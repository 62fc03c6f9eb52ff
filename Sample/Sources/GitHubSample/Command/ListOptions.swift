/// Whose repositories to list, how many, and from where.
package struct ListOptions: Equatable, Sendable {
  package var login: String

  /// How many to list; nil for all there are.
  package var limit: Int?
  package var isDemo: Bool

  package init(login: String, limit: Int? = 30, isDemo: Bool = false) {
    self.login = login
    self.limit = limit
    self.isDemo = isDemo
  }
}
