/// A parsed command line.
package enum Command: Equatable, Sendable {
  case help(Topic)
  case version
  case list(ListOptions)
  case search(SearchOptions)
  case show(ShowOptions)

  /// Whether the command reads the token from standard input.
  var readsToken: Bool {
    switch self {
    case .help, .version: false
    case .list(let options): options.common.readsToken
    case .search(let options): options.common.readsToken
    case .show(let options): options.common.readsToken
    }
  }

  /// The commands, which have separate help texts.
  package enum Topic: String, CaseIterable, Sendable {
    case list, search, show

    /// Creates the topic that the first argument names. If the first argument names no command, the
    /// topic is `list`.
    init(of arguments: some Sequence<String>) {
      self = arguments.first { _ in true }.flatMap(Topic.init) ?? .list
    }
  }

  package static let versionNumber = "1.0.0"
}

/// The options that all commands share, for the connection, the output and the recording of
/// dispatches.
package struct CommonOptions: Equatable, Sendable {
  package enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never
  }

  package var connection = ConnectionOptions()

  /// Whether to read the token from standard input.
  package var readsToken = false
  package var color = ColorChoice.auto

  /// The fields to write as JSON, or nil to use another format.
  package var jsonFields: [String]?

  /// The path of the log file, which contains a line of JSON for each dispatch.
  package var logPath: String?

  /// The path of the HTML page that shows the dispatches.
  package var explorerPath: String?

  /// Whether the command serves a page that shows the dispatches in a browser until the user ends
  /// the process.
  package var exploresLive = false

  package init() {}
}

/// The options of the `list` command.
package struct ListOptions: Equatable, Sendable {
  package var common = CommonOptions()

  /// The query for the repositories. An empty login selects the token's owner.
  package var query = RepositoryQuery(login: "")

  /// The maximum number of items to list, or nil to list all items.
  package var limit: Int? = 30

  /// Whether to show the last list instead of fetching a list.
  package var isCached = false

  package init() {}
}

/// The options of the `search` command.
package struct SearchOptions: Equatable, Sendable {
  package var common = CommonOptions()
  package var text = ""

  /// The maximum number of items to list, or nil to list all items.
  package var limit: Int? = 30

  package init() {}
}

/// The options of the `show` command.
package struct ShowOptions: Equatable, Sendable {
  package var common = CommonOptions()
  package var owner = ""
  package var name = ""

  package init() {}
}
