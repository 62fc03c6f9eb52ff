import GitHubSample
import Testing

struct CommandHelpTests {
  /// The other commands have the same texts for the same options.
  @Test func helpOfTheListCommandExplainsAllOptionsAndTheOtherCommands() {
    #expect(
      Command.Topic.list.help == """
        List the repositories of a GitHub user or organization, the most starred first. Without a
        LOGIN, list the repositories of the token's owner.

        Usage: github-repos [LOGIN] [OPTIONS]

          -L, --limit N          list at most N items that match (default: 30)
              --all              list all items
              --cached           show the last list at once, without a token or a network
              --sort KEY         sort by stars (default), pushed, updated, created or name
              --order ORDER      sort asc or desc (default: desc, but asc for name)
              --visibility V     list only public, private or internal repositories
              --source           list only repositories that are not forks
              --fork             list only forks
              --archived         list only archived repositories
              --no-archived      list only repositories that are not archived
          -l, --language NAME    list only repositories with this main language
              --json [FIELDS]    write JSON: all fields, or FIELDS separated by commas
              --hostname HOST    use the GitHub server at this host
              --timeout SECONDS  give up after this many seconds in all (default: 300)
              --color WHEN       use colors: auto (default), always or never
              --token TOKEN      use this token; others on this machine can see it
              --token-stdin      read the token from standard input
              --demo             use recorded responses, without a token or a network
              --log FILE         log each state to this file, as lines of JSON
              --explore FILE     write an HTML page of the states to this file
              --explore-live     serve a page of the states; Enter fetches again
          -h, --help             show this help
              --version          show the version

        github-repos search QUERY finds users, and github-repos show OWNER/NAME shows a repository. Each
        has its own --help. If a LOGIN is also a command, put -- before it: github-repos -- search.

        For --cached, the last list is saved in the folder github-repos of the folder for caches
        (XDG_CACHE_HOME or ~/.cache; on Apple's systems ~/Library/Caches).

        The token comes from GH_TOKEN or GITHUB_TOKEN. For an enterprise host, it comes from
        GH_ENTERPRISE_TOKEN or GITHUB_ENTERPRISE_TOKEN. The host comes from --hostname, from the URL in
        GITHUB_GRAPHQL_URL, or from GH_HOST, in this order. The default is github.com.
        Exit codes: 0 success, 1 failure, 2 wrong usage, 4 no valid token.
        """
    )
  }

  @Test(arguments: Command.Topic.allCases)
  func helpFitsIn100ColumnsAndWarnsAboutTheTokenOption(topic: Command.Topic) {
    #expect(topic.help.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(
      topic.help.contains("--token TOKEN      use this token; others on this machine can see it")
    )
  }
}
