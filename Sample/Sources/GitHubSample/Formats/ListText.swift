/// The sentences about a list, for people.
struct ListText: Sendable {
  /// The plural name of the items, such as "repositories".
  let items: String

  /// What the items have in common, such as "in @octocat".
  let scope: String

  /// Whether the server's count includes items that don't pass the filters.
  var isFiltered = false

  /// The maximum number of items, or nil for all items.
  let limit: Int?

  /// The time since the list was fetched, or nil for a new list.
  var age: String?

  /// Returns the text next to the spinner.
  func progress(_ total: Total?) -> String {
    guard let total, total.shown > 0 else { return "Fetching \(items)…" }
    return "Fetched \(count(total))…"
  }

  /// Returns the line above the table.
  func title(_ total: Total) -> String {
    let more = total.hasMore && isFull(total) ? "; see --limit and --all" : ""
    return "Showing \(count(total)) \(subject)\(more)"
  }

  /// Returns the message for a list without items.
  func nothing(_ total: Total) -> String {
    "There are no \(total.all > 0 ? "matching " : "")\(items) \(subject)."
  }

  /// Returns the message for a list that the server has ended early without an error, as a search ends after 1,000
  /// users. The result is nil if the list is complete, or if the user asked for fewer items.
  func gap(_ total: Total) -> String? {
    guard total.shown < total.all, !total.hasMore, !isFiltered, !isFull(total) else { return nil }
    return "github-repos: The server lists only \(count(total))."
  }

  /// Returns the number of items in words, such as "30 of 36 repositories".
  private func count(_ total: Total) -> String {
    "\(total.shown) \(isFiltered ? "matching" : "of \(total.all)") \(items)"
  }

  private func isFull(_ total: Total) -> Bool { total.shown >= limit ?? .max }

  private var subject: String { scope + (age.map { " (fetched \($0))" } ?? "") }
}
