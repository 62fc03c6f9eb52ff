/// An option of the command line: how it is written, and its line in the help.
package struct CommandOption: Sendable {
  package let short: Character?
  package let long: String

  /// What stands for its value in the help; nil if it has none.
  package let value: String?
  package let help: String

  /// Whether the value may be left out.
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

  /// "-L, --limit N", as in the help.
  var synopsis: String {
    let names = (short.map { "-\($0), " } ?? "    ") + "--\(long)"
    return value.map { "\(names) \($0)" } ?? names
  }
}

extension Command.Topic {
  /// The options that the command knows, in the order of its help.
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
    CommandOption("limit", short: "L", value: "N", "list at most N (30), after filtering"),
    CommandOption("all", "list all there are"),
  ]

  fileprivate static let listing = [
    CommandOption("sort", value: "KEY", "stars, pushed, updated, created or name (stars)"),
    CommandOption("order", value: "ORDER", "asc or desc (desc; asc for names)"),
    CommandOption("visibility", value: "V", "only public, private or internal ones"),
    CommandOption("source", "only those that are no forks"),
    CommandOption("fork", "only forks"),
    CommandOption("archived", "only archived ones"),
    CommandOption("no-archived", "only those that are not archived"),
    CommandOption("language", short: "l", value: "NAME", "only those written mostly in it"),
  ]

  fileprivate static let common = [
    CommandOption(
      "json",
      value: "[FIELDS]",
      isValueOptional: true,
      "write JSON: these fields, or all"
    ),
    CommandOption("hostname", value: "HOST", "ask the GitHub at this host"),
    CommandOption("timeout", value: "SECONDS", "take at most so long, in all (300)"),
    CommandOption("color", value: "WHEN", "auto, always or never (auto)"),
    CommandOption("token", value: "TOKEN", "use it; others on this machine can see it there"),
    CommandOption("token-stdin", "read the token from standard input"),
    CommandOption("demo", "use a few recorded answers: no token, no network"),
    CommandOption("log", value: "FILE", "write there what each state did, as lines of JSON"),
    CommandOption("explore", value: "FILE", "write there an HTML page that shows it"),
    CommandOption("explore-live", "show it in a browser, and fetch again at each Enter"),
    CommandOption("help", short: "h", "show this help"),
    CommandOption("version", "show the version"),
  ]
}
