/// The format of a result.
package enum OutputFormat: Equatable, Sendable {
  /// A table for people, on a terminal of this width.
  case table(width: Int, hasColors: Bool)

  /// Lines for other programs: each line is an item, with its values separated by tabs.
  case lines(hasColors: Bool)

  /// JSON for other programs, with these fields; pretty if people read it.
  case json(fields: [String], isPretty: Bool)

  package var isForPeople: Bool {
    if case .table = self { true } else { false }
  }
}
