extension Command.Topic {
  /// The line in the help that shows how to call the command.
  package var usage: String {
    switch self {
    case .list: "Usage: github-repos [LOGIN] [OPTIONS]"
    case .search: "Usage: github-repos search QUERY [OPTIONS]"
    case .show: "Usage: github-repos show OWNER/NAME [OPTIONS]"
    }
  }

  package var help: String {
    let width = (options.map(\.synopsis.count).max() ?? 0) + 2
    let lines = options.map { "  " + $0.synopsis.leftAligned(in: width) + $0.help }
    return [about, usage, lines.joined(separator: "\n"), more].joined(separator: "\n\n")
  }

  private var about: String {
    switch self {
    case .list:
      """
      List the repositories of a GitHub user or organization, the most starred first. Without a
      LOGIN, list the repositories of the token's owner.
      """
    case .search: "Find GitHub users and organizations."
    case .show: "Show one GitHub repository."
    }
  }

  private var more: String {
    let others =
      self == .list
      ? """
      github-repos search QUERY finds users, and github-repos show OWNER/NAME shows a repository. Each
      has its own --help. If a LOGIN is also a command, put -- before it: github-repos -- search.

      For --cached, the last list is saved in the folder github-repos of the folder for caches
      (XDG_CACHE_HOME or ~/.cache; on Apple's systems ~/Library/Caches).


      """ : ""
    return others + """
      The token comes from GH_TOKEN or GITHUB_TOKEN. For an enterprise host, it comes from
      GH_ENTERPRISE_TOKEN or GITHUB_ENTERPRISE_TOKEN. The host comes from --hostname, from the URL in
      GITHUB_GRAPHQL_URL, or from GH_HOST, in this order. The default is github.com.
      Exit codes: 0 success, 1 failure, 2 wrong usage, 4 no valid token.
      """
  }
}
