import Foundation

/// What is known of the terminal, if there is one.
package struct Terminal: Equatable, Sendable {
  /// How many columns standard output has; nil if it is no terminal.
  package let width: Int?

  /// Whether standard error is a terminal too, which can show a spinner.
  package let showsActivity: Bool

  /// Whether the environment wants colours, unless the command line says otherwise.
  package let hasColors: Bool

  package init(width: Int?, showsActivity: Bool = false, hasColors: Bool = false) {
    self.width = width
    self.showsActivity = showsActivity && width != nil
    self.hasColors = hasColors
  }

  /// Reads the variables that other tools use too: `CLICOLOR_FORCE`, `NO_COLOR`, `CLICOLOR`,
  /// `TERM`, and `COLUMNS` where the terminal doesn't report its width.
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
