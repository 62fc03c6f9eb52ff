extension Command {
  /// How the command is used, in one line.
  package static let usage = "Usage: github-repos [LOGIN] [-L N | --all] [--demo]"

  package static let helpText = """
    List the repositories of a GitHub user or organization, most starred first.

    \(usage)

      -L, --limit N   list at most N repositories (30)
          --all       list all of them
          --demo      use recorded answers: no token, no network; its LOGIN is octocat
      -h, --help      show this help

    GH_TOKEN or GITHUB_TOKEN holds the token; GITHUB_GRAPHQL_URL asks another server than
    https://api.github.com/graphql.
    Exit codes: 0 done, 1 failure, 2 usage, 4 no token or a rejected one.
    """
}
