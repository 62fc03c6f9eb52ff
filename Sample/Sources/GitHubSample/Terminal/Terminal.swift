import Foundation

/// The properties of the terminal that the command writes to.
package struct Terminal: Equatable, Sendable {
  /// The width of standard output in columns, or nil if standard output is not a terminal.
  package let width: Int?

  /// Whether to show a spinner. A spinner requires that standard output and standard error are
  /// terminals.
  package let showsActivity: Bool

  /// Whether to use colors if the command line has no color option.
  package let hasColors: Bool

  package init(width: Int?, showsActivity: Bool = false, hasColors: Bool = false) {
    self.width = width
    self.showsActivity = showsActivity && width != nil
    self.hasColors = hasColors
  }

  /// Creates the properties from the streams and from conventional environment variables.
  ///
  /// The variables `CLICOLOR_FORCE`, `NO_COLOR`, `CLICOLOR` and `TERM` determine whether to use
  /// colors. If the terminal doesn't report its width, the width comes from `COLUMNS`.
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
