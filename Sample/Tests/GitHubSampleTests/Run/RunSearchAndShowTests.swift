import FluxCapacitorTesting
import GitHubSample
import Testing

/// Tests that compare searches and single repositories, on a terminal and in a pipe, with the exact
/// text.
@Suite(.isolatedDispatcher)
struct RunSearchAndShowTests {
  private let users = [
    GitHub.User(login: "mona", name: "Mona\tLisa"),
    GitHub.User(login: "octo-org", isOrganization: true),
  ]

  @Test func searchCommandShowsATableOfUsersOnATerminal() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(
      .success(Page(items: users, totalCount: 7, hasNextPage: true, endCursor: "1"))
    )

    let exitCode = await runCommand(
      "search",
      "mo",
      "-L2",
      session: session,
      recorder: recorder,
      terminal: .plain
    )

    #expect(
      recorder.output == """
        Showing 2 of 7 users matching 'mo'; see --limit and --all

        LOGIN     KIND          NAME
        mona      user          Mona Lisa
        octo-org  organization

        """
    )
    #expect(exitCode == .success)
  }

  @Test func searchCommandWritesOneLineForEachUserToAPipe() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.success(Page(items: users, totalCount: 2)))

    _ = await runCommand("search", "mo", session: session, recorder: recorder)

    #expect(recorder.output == "mona\tuser\tMona Lisa\nocto-org\torganization\t\n")
    #expect(recorder.errors == "")
  }

  @Test func showCommandDescribesARepositoryOnATerminal() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.success(GitHub.Repository.various[0]))

    let exitCode = await runCommand(
      "show",
      "mona/clock",
      session: session,
      recorder: recorder,
      terminal: .plain
    )

    #expect(
      recorder.output == """
        mona/clock
        Tells the time. And the date.
        ★ 4213 · 0 forks · Swift · public
        pushed 3 hours ago

        """
    )
    #expect(exitCode == .success)
  }

  @Test func showCommandWritesTheNamedValuesOfARepositoryToAPipe() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.success(GitHub.Repository.various[0]))

    _ = await runCommand("show", "mona/clock", session: session, recorder: recorder)

    #expect(
      recorder.output == """
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
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.success(GitHub.Repository.various[1]))

    _ = await runCommand(
      "show",
      "mona/kaizu",
      "--json",
      "isPrivate,isFork",
      session: session,
      recorder: recorder,
      terminal: .plain
    )

    #expect(recorder.output == "{\n  \"isFork\" : true,\n  \"isPrivate\" : true\n}\n")
  }
}
