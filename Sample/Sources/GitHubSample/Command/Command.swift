/// A parsed command line.
package enum Command: Equatable, Sendable {
  case help(Topic)
  case version
  case list(ListOptions)
  case search(SearchOptions)
  case show(ShowOptions)

  /// The commands. Each of them has its own help.
  package enum Topic: String, CaseIterable, Sendable {
    case list, search, show

    /// Creates the command that the first argument names, or else `list`, which has no name.
    init(of arguments: some Sequence<String>) {
      self = arguments.first { _ in true }.flatMap(Topic.init) ?? .list
    }
  }

  package static let versionNumber = "1.0.0"
}

/// The options that all commands share: the connection, the output, and the recording of
/// dispatches.
package struct CommonOptions: Equatable, Sendable {
  package enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never
  }

  package var connection = ConnectionOptions()

  /// Whether to read the token from standard input.
  package var readsToken = false
  package var color = ColorChoice.auto

  /// The fields to write as JSON; nil for another format.
  package var jsonFields: [String]?

  /// The path of the log, which has a line of JSON for each dispatch.
  package var logPath: String?

  /// The path of the page that shows the dispatches.
  package var explorerPath: String?

  /// Whether to show the dispatches in a browser until the user ends the process.
  package var exploresLive = false

  package init() {}
}

/// The options of `list`: the owner, the filters, the order and the limit.
package struct ListOptions: Equatable, Sendable {
  package var common = CommonOptions()

  /// The query. An empty login stands for the token's owner.
  package var query = RepositoryQuery(login: "")

  /// The largest number of items to list; nil for all.
  package var limit: Int? = 30

  package init() {}
}

/// The options of `search`: the text and the limit.
package struct SearchOptions: Equatable, Sendable {
  package var common = CommonOptions()
  package var text = ""

  /// The largest number of items to list; nil for all.
  package var limit: Int? = 30

  package init() {}
}

/// The options of `show`: the repository's owner and name.
package struct ShowOptions: Equatable, Sendable {
  package var common = CommonOptions()
  package var owner = ""
  package var name = ""

  package init() {}
}
