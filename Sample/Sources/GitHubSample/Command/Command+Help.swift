extension Command.Topic {
  /// How the command is used, in one line.
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
      List the repositories of a GitHub user or organization, most starred first; without a LOGIN,
      those of the user whose token it is.
      """
    case .search: "Find GitHub users and organizations."
    case .show: "Show one GitHub repository."
    }
  }

  private var more: String {
    let others =
      self == .list
      ? """
      github-repos search QUERY finds users, github-repos show OWNER/NAME shows a repository; each has
      a --help of its own. Of a user named like that, github-repos -- search lists the repositories.


      """ : ""
    return others + """
      The token is that of GH_TOKEN or GITHUB_TOKEN; on an enterprise's host, that of
      GH_ENTERPRISE_TOKEN or GITHUB_ENTERPRISE_TOKEN. The host is that of --hostname, of the address in
      GITHUB_GRAPHQL_URL, or of GH_HOST, in this order; otherwise github.com.
      Exit codes: 0 done, 1 failure, 2 usage, 4 no token or a rejected one.
      """
  }
}
