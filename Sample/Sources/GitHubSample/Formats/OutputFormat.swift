/// The format in which a command writes its result.
package enum OutputFormat: Equatable, Sendable {
  /// A table for people, which fits a terminal of the given width.
  case table(width: Int, hasColors: Bool)

  /// Lines for other programs. Each line contains the values of one item, separated by tabs.
  case lines(hasColors: Bool)

  /// JSON with the given fields, indented if people read the output.
  case json(fields: [String], isPretty: Bool)

  package var isForPeople: Bool {
    if case .table = self { true } else { false }
  }
}
