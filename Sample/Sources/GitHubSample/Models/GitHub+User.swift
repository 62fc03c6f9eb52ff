extension GitHub {
  /// A user or an organisation: whoever owns repositories.
  package struct User: Hashable, Sendable {
    package let login: String

    package init(login: String) {
      self.login = login
    }
  }
}
