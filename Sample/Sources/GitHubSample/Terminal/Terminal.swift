import Foundation

/// The properties of the terminal, if there is one.
package struct Terminal: Equatable, Sendable {
  /// The width of standard output in columns; nil if standard output is not a terminal.
  package let width: Int?

  /// Whether standard error is a terminal too, so that it can show a spinner.
  package let showsActivity: Bool

  /// Whether to use colors, unless the command line says otherwise.
  package let hasColors: Bool

  package init(width: Int?, showsActivity: Bool = false, hasColors: Bool = false) {
    self.width = width
    self.showsActivity = showsActivity && width != nil
    self.hasColors = hasColors
  }

  /// Creates the properties from variables that other tools use too.
  ///
  /// These are `CLICOLOR_FORCE`, `NO_COLOR`, `CLICOLOR` and `TERM`. `COLUMNS` counts if the
  /// terminal doesn't report its width.
  package init(
    outputWidth: Int?,
    isOutputTerminal: Bool,
    isErrorTerminal: Bool,
    variables: [String: String]
  ) {
    let stated = variables["COLUMNS"].flatMap { Int($0) }
    let width = [outputWidth, stated].compactMap(\.self).first { $0 > 0 } ?? 80
    let isForced = !["", "0"].contains(variables["CLICOLOR_FORCE"] ?? "")
    let isRefused =
      variables["NO_COLOR"]?.isEmpty == false || variables["CLICOLOR"] == "0"
      || variables["TERM"] == "dumb"
    self.init(
      width: isOutputTerminal ? width : nil,
      showsActivity: isErrorTerminal && variables["TERM"] != "dumb",
      hasColors: isForced || (isOutputTerminal && !isRefused)
    )
  }

  package var isOutputTerminal: Bool { width != nil }
}
