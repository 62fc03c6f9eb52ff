/// A command line, parsed.
package enum Command: Equatable, Sendable {
  case help(Topic)
  case version
  case list(ListOptions)
  case search(SearchOptions)
  case show(ShowOptions)

  /// The commands that have a help of their own.
  package enum Topic: String, CaseIterable, Sendable {
    case list, search, show

    /// The command that the arguments begin with; listing has no name.
    init(of arguments: some Sequence<String>) {
      self = arguments.first { _ in true }.flatMap(Topic.init) ?? .list
    }
  }

  package static let versionNumber = "1.0.0"
}

/// The options of all commands: which server to use, and how to show the result.
package struct CommonOptions: Equatable, Sendable {
  package enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never
  }

  package var connection = ConnectionOptions()

  /// Whether to read the token from standard input.
  package var readsToken = false
  package var color = ColorChoice.auto

  /// The fields to write as JSON; nil for no JSON.
  package var jsonFields: [String]?

  /// Where to write a line of JSON for each dispatch.
  package var logPath: String?

  /// Where to write the page that shows the dispatches.
  package var explorerPath: String?

  /// Whether to show the dispatches in a browser, for as long as the process is left to run.
  package var exploresLive = false

  package init() {}
}

/// Whose repositories to list, which, and how many.
package struct ListOptions: Equatable, Sendable {
  package var common = CommonOptions()

  /// The login is empty for the user whose token it is.
  package var query = RepositoryQuery(login: "")

  /// How many to list; nil for all there are.
  package var limit: Int? = 30

  package init() {}
}

/// Which users to find, and how many.
package struct SearchOptions: Equatable, Sendable {
  package var common = CommonOptions()
  package var text = ""

  /// How many to list; nil for all there are.
  package var limit: Int? = 30

  package init() {}
}

/// Which repository to show.
package struct ShowOptions: Equatable, Sendable {
  package var common = CommonOptions()
  package var owner = ""
  package var name = ""

  package init() {}
}
