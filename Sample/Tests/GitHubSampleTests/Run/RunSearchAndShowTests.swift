import GitHubSample
import Testing

/// Tests that compare searches and single repositories, on a terminal and in a pipe, with the exact
/// text.
struct RunSearchAndShowTests {
  private let users = [
    GitHub.User(login: "mona", name: "Mona\tLisa"),
    GitHub.User(login: "octo-org", isOrganization: true),
  ]

  @Test func searchCommandShowsATableOfUsersOnATerminal() async {
    let session = MockApiSession(
      .success(Page(items: users, totalCount: 7, hasNextPage: true, endCursor: "1"))
    )

    let outcome = await runCommand("search mo -L2", session: session, terminal: .plain)

    #expect(
      outcome.output == """
        Showing 2 of 7 users matching 'mo'; see --limit and --all

        LOGIN     KIND          NAME
        mona      user          Mona Lisa
        octo-org  organization

        """
    )
    #expect(outcome.exitCode == .success)
  }

  @Test func searchCommandWritesOneLineForEachUserToAPipe() async {
    let session = MockApiSession(.success(Page(items: users, totalCount: 2)))

    let outcome = await runCommand("search mo", session: session)

    #expect(outcome.output == "mona\tuser\tMona Lisa\nocto-org\torganization\t\n")
    #expect(outcome.errors == "")
  }

  @Test(arguments: [Terminal(width: nil), .plain])
  func searchCommandReportsThatTheServerEndsTheListEarly(terminal: Terminal) async {
    let session = MockApiSession(
      .users("mona", total: 2500, next: "1"),
      .users("octocat", total: 2500)
    )

    let outcome = await runCommand("search mo --all", session: session, terminal: terminal)

    #expect(outcome.errors == "github-repos: The server lists only 2 of 2500 users.\n")
    #expect(outcome.exitCode == .success)
  }

  @Test func showCommandDescribesARepositoryOnATerminal() async {
    let session = MockApiSession(.success(GitHub.Repository.various[0]))

    let outcome = await runCommand("show mona/clock", session: session, terminal: .plain)

    #expect(
      outcome.output == """
        mona/clock
        Tells the time. And the date.
        ★ 4213 · 0 forks · Swift · public
        pushed 3 hours ago

        """
    )
    #expect(outcome.exitCode == .success)
  }

  @Test func showCommandWritesTheNamedValuesOfARepositoryToAPipe() async {
    let session = MockApiSession(.success(GitHub.Repository.various[0]))

    let outcome = await runCommand("show mona/clock", session: session)

    #expect(
      outcome.output == """
        name:\tmona/clock
        description:\tTells the time. And the date.
        stars:\t4213
        forks:\t0
        language:\tSwift
        info:\tpublic
        created:\t
        updated:\t
        pushed:\t2023-11-14T19:13:20Z
        url:\t

        """
    )
  }

  @Test func showCommandIndentsTheJSONOfARepositoryOnATerminal() async {
    let session = MockApiSession(.success(GitHub.Repository.various[1]))

    let outcome = await runCommand(
      "show mona/kaizu --json isPrivate,isFork",
      session: session,
      terminal: .plain
    )

    #expect(outcome.output == "{\n  \"isFork\" : true,\n  \"isPrivate\" : true\n}\n")
  }
}
