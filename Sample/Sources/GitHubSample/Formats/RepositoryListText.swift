/// The sentences about a list of repositories, for people.
struct RepositoryListText: Sendable {
  let owner: String

  /// Whether the server's count includes repositories that don't pass the filters.
  let isFiltered: Bool

  /// The time since the list was fetched, or nil for a new list.
  let age: String?

  init(owner: String, isFiltered: Bool, age: String? = nil) {
    self.owner = owner.sanitized
    self.isFiltered = isFiltered
    self.age = age
  }

  /// Returns the line above the table.
  func title(for total: Total) -> String {
    let count = total.inWords(isFiltered: isFiltered)
    let more = total.hasMore ? "; see --limit and --all" : ""
    return "Showing \(count) repositories in @\(owner)\(note)\(more)"
  }

  /// Returns the message for a list without repositories.
  func nothing(for total: Total) -> String {
    isFiltered && total.all > 0
      ? "No repositories in @\(owner) match\(note)." : "@\(owner) has no repositories\(note)."
  }

  private var note: String { age.map { " (fetched \($0))" } ?? "" }
}

extension Total {
  /// The count in words, such as "30 of 36".
  func inWords(isFiltered: Bool) -> String {
    isFiltered ? "\(shown) matching" : "\(shown) of \(all)"
  }
}
