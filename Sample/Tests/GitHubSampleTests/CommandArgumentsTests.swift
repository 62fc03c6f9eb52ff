import GitHubSample
import Testing

struct CommandArgumentsTests {
  @Test(
    arguments: [
      (["mona"], .listRepositories(ListOptions(login: "mona"))),
      (["mona", "-L", "5"], .listRepositories(ListOptions(login: "mona", limit: 5))),
      (["--limit", "250", "mona"], .listRepositories(ListOptions(login: "mona", limit: 250))),
      (["mona", "--all"], .listRepositories(ListOptions(login: "mona", limit: nil))),
      (["mona", "--all", "-L", "5"], .listRepositories(ListOptions(login: "mona", limit: 5))),
      (["--demo"], .listRepositories(ListOptions(login: "octocat", isDemo: true))),
      (["--demo", "mona"], .listRepositories(ListOptions(login: "mona", isDemo: true))),
      (["-h"], .help),
      (["mona", "--help", "--whatever"], .help),
    ] as [([String], Command)]
  )
  func understood(arguments: [String], command: Command) throws {
    #expect(try Command(arguments: arguments) == command)
  }

  @Test(
    arguments: [
      ([], "whose repositories? Give a LOGIN, or try --demo"),
      ([""], "LOGIN is empty"),
      (["mona", "lisa"], "one LOGIN at a time, not lisa too"),
      (["mona", "-L"], "-L needs a number"),
      (["mona", "--limit", "0"], "--limit needs a number above 0, not 0"),
      (["mona", "--limit", "-3"], "--limit needs a number above 0, not -3"),
      (["mona", "-L", "many"], "-L needs a number above 0, not many"),
      (
        ["--fast", "mona"],
        "unknown option --fast; the options are -L/--limit N, --all, --demo and -h/--help"
      ),
    ] as [([String], String)]
  )
  func notUnderstood(arguments: [String], message: String) {
    #expect(throws: UsageError(message: message)) { try Command(arguments: arguments) }
  }
}
