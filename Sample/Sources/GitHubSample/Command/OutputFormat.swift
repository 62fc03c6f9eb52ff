import Foundation

/// In what form a result is written.
package enum OutputFormat: Equatable, Sendable {
  /// For people, at a terminal so many columns wide.
  case table(width: Int, hasColors: Bool)

  /// For other programs: a thing a line, its values separated by tabs.
  case lines(hasColors: Bool)

  /// For other programs, with these fields; in many lines if people look at it.
  case json(fields: [String], isPretty: Bool)

  package init(_ options: CommonOptions, terminal: Terminal) {
    if let fields = options.jsonFields {
      self = .json(fields: fields, isPretty: terminal.isOutputTerminal)
    } else {
      let hasColors =
        switch options.color {
        case .auto: terminal.hasColors
        case .always: true
        case .never: false
        }
      self =
        terminal.width.map { .table(width: $0, hasColors: hasColors) }
        ?? .lines(hasColors: hasColors)
    }
  }

  package var isForPeople: Bool {
    if case .table = self { true } else { false }
  }
}
