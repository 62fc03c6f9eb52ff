/// The form in which a result is written.
package enum OutputFormat: Equatable, Sendable {
  /// For people, at a terminal so many columns wide.
  case table(width: Int, hasColors: Bool)

  /// For other programs: each line is an item, its values separated by tabs.
  case lines(hasColors: Bool)

  /// For other programs, with these fields; pretty for people who look at it.
  case json(fields: [String], isPretty: Bool)

  package var isForPeople: Bool {
    if case .table = self { true } else { false }
  }
}
