/// A command-line option with its names, its value and its help text.
package struct CommandOption: Sendable {
  package let short: Character?
  package let long: String

  /// The placeholder for the option's value in the help, or nil if the option has no value.
  package let value: String?
  package let help: String

  /// Whether the user can omit the option's value.
  package let isValueOptional: Bool

  init(
    _ long: String,
    short: Character? = nil,
    value: String? = nil,
    isValueOptional: Bool = false,
    _ help: String
  ) {
    self.short = short
    self.long = long
    self.value = value
    self.isValueOptional = isValueOptional
    self.help = help
  }

  /// The option's names and placeholder in the help, such as "-L, --limit N".
  var synopsis: String {
    let names = (short.map { "-\($0), " } ?? "    ") + "--\(long)"
    return value.map { "\(names) \($0)" } ?? names
  }
}

extension Command.Topic {
  /// The options of the command, in the order in which the help lists the options.
  var options: [CommandOption] {
    switch self {
    case .list: CommandOption.paging + CommandOption.listing + CommandOption.common
    case .search: CommandOption.paging + CommandOption.common
    case .show: CommandOption.common
    }
  }
}

extension CommandOption {
  fileprivate static let paging = [
    CommandOption("limit", short: "L", value: "N", "list at most N items that match (default: 30)"),
    CommandOption("all", "list all items"),
  ]

  fileprivate static let listing = [
    CommandOption("cached", "show the last list at once, without a token or a network"),
    CommandOption(
      "sort",
      value: "KEY",
      "sort by stars (default), pushed, updated, created or name"
    ),
    CommandOption("order", value: "ORDER", "sort asc or desc (default: desc, but asc for name)"),
    CommandOption("visibility", value: "V", "list only public, private or internal repositories"),
    CommandOption("source", "list only repositories that are not forks"),
    CommandOption("fork", "list only forks"),
    CommandOption("archived", "list only archived repositories"),
    CommandOption("no-archived", "list only repositories that are not archived"),
    CommandOption(
      "language",
      short: "l",
      value: "NAME",
      "list only repositories with this main language"
    ),
  ]

  fileprivate static let common = [
    CommandOption(
      "json",
      value: "[FIELDS]",
      isValueOptional: true,
      "write JSON: all fields, or FIELDS separated by commas"
    ),
    CommandOption("hostname", value: "HOST", "use the GitHub server at this host"),
    CommandOption(
      "timeout",
      value: "SECONDS",
      "give up after this many seconds in all (default: 300)"
    ),
    CommandOption("color", value: "WHEN", "use colors: auto (default), always or never"),
    CommandOption("token", value: "TOKEN", "use this token; others on this machine can see it"),
    CommandOption("token-stdin", "read the token from standard input"),
    CommandOption("demo", "use recorded responses, without a token or a network"),
    CommandOption("log", value: "FILE", "log each state to this file, as lines of JSON"),
    CommandOption("explore", value: "FILE", "write an HTML page of the states to this file"),
    CommandOption("explore-live", "serve a page of the states; Enter fetches again"),
    CommandOption("help", short: "h", "show this help"),
    CommandOption("version", "show the version"),
  ]
}
