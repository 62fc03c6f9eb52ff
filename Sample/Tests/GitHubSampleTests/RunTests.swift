import FluxCapacitor
import GitHubSample
import Testing

struct RunTests {
  private static let header =
    "NAME                             STARS   FORKS  LANGUAGE          PUSHED      DESCRIPTION\n"

  private func run(
    _ arguments: String...,
    session: MockApiSession = MockApiSession(),
    recorder: ConsoleRecorder
  ) async -> ExitCode {
    let environment = CommandEnvironment(
      session: session,
      demoSession: MockApiSession(),
      console: recorder.console
    )
    return await withDispatcher(Dispatcher()) {
      await GitHubSample.run(arguments: arguments, environment: environment)
    }
  }

  @Test func repositoriesAreListedPageByPage() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(
      .success(.of("a", "b", total: 3, next: "1")),
      .success(.of("c", total: 3))
    )

    let exitCode = await run("mona", "--all", session: session, recorder: recorder)

    #expect(
      recorder.output == RunTests.header + """
        mona/a                               1       0  -                 -
        mona/b                               1       0  -                 -
        mona/c                               1       0  -                 -

        """
    )
    #expect(recorder.errors == "Fetched 2 of 3 repositories\nFetched 3 of 3 repositories\n")
    #expect(exitCode == .success)
  }

  @Test func onATerminalProgressGivesWayToTheTable() async {
    let recorder = ConsoleRecorder(isInteractive: true)
    let session = MockApiSession(.success(.of("a", total: 1)))
    let erase = "\r\u{1B}[K"

    _ = await run("mona", session: session, recorder: recorder)

    let fetching = "Fetching the repositories of mona…"
    #expect(
      recorder.errors
        == fetching + erase + fetching + erase + "Fetched 1 of 1 repositories" + erase
    )
  }

  @Test func aLimitSaysThatThereIsMore() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.success(.of("a", total: 3, next: "1")))

    let exitCode = await run("mona", "-L", "1", session: session, recorder: recorder)

    #expect(session.requests == [RepositoriesRequest(login: "mona", first: 1)])
    #expect(
      recorder.errors == """
        Fetched 1 of 3 repositories
        Showing 1 of 3 repositories; see --limit and --all.

        """
    )
    #expect(exitCode == .success)
  }

  @Test func thirtyAreAskedForUnlessToldOtherwise() async {
    let session = MockApiSession(.success(.of("a", total: 1)))

    _ = await run("mona", session: session, recorder: ConsoleRecorder())

    #expect(session.requests == [RepositoriesRequest(login: "mona", first: 30)])
  }

  @Test func anOwnerWithoutRepositoriesIsNoFailure() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.success(.of(total: 0)))

    let exitCode = await run("mona", session: session, recorder: recorder)

    #expect(recorder.output == "")
    #expect(recorder.errors == "mona has no repositories.\n")
    #expect(exitCode == .success)
  }

  @Test func aFailureAfterAPageShowsThePage() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(
      .success(.of("a", total: 2, next: "1")),
      .failure(.notJSON(status: 200))
    )

    let exitCode = await run("mona", session: session, recorder: recorder)

    #expect(
      recorder.output == RunTests.header + """
        mona/a                               1       0  -                 -

        """
    )
    #expect(
      recorder.errors == """
        Fetched 1 of 2 repositories
        github-repos: mock sent something that is not JSON (HTTP 200). Check GITHUB_GRAPHQL_URL, \
        or try again later. The list above is incomplete: it has 1 of 2.

        """
    )
    #expect(exitCode == .failure)
  }

  @Test(
    arguments: [
      (
        .missingToken, .unauthorized,
        "mock answers nobody without a token. Set GH_TOKEN or GITHUB_TOKEN, or try --demo."
      ),
      (
        .rejectedToken("Bad credentials"), .unauthorized,
        "mock rejected the token: Bad credentials. Set GH_TOKEN or GITHUB_TOKEN to a valid one."
      ),
      (
        .unknownOwner(login: "mo\u{1B}na"), .failure,
        "mock knows no user or organization named 'mo\u{FFFD}na'. Check the spelling."
      ),
      (
        .forbidden("Protected by SAML.", singleSignOn: "https://github.com/sso"), .failure,
        "mock refused the request: Protected by SAML. Authorize the token here: https://github.com/sso"
      ),
      (
        .rateLimited("Slow\ndown."), .failure,
        "mock limits the rate of requests: Slow down. Try again later."
      ),
      (
        .timedOut(after: .seconds(20)), .failure,
        """
        mock gave no complete answer within 20.0 seconds. Check the network and GITHUB_GRAPHQL_URL, \
        or try again later.
        """
      ),
    ] as [(ApiError.Reason, ExitCode, String)]
  )
  func aFailureIsOneLine(reason: ApiError.Reason, exitCode: ExitCode, line: String) async {
    let recorder = ConsoleRecorder()

    let actual = await run("mona", session: MockApiSession(.failure(reason)), recorder: recorder)

    #expect(recorder.output == "")
    #expect(recorder.errors == "github-repos: \(line)\n")
    #expect(actual == exitCode)
  }

  @Test func anUnknownOptionIsAUsageError() async {
    let recorder = ConsoleRecorder()

    let exitCode = await run("--fa\u{1B}st", recorder: recorder)

    #expect(recorder.output == "")
    #expect(
      recorder.errors == """
        github-repos: unknown option --fa\u{FFFD}st; the options are -L/--limit N, --all, --demo \
        and -h/--help.
        Usage: github-repos [LOGIN] [-L N | --all] [--demo]

        """
    )
    #expect(exitCode == .usage)
  }

  @Test func helpIsAResult() async {
    let recorder = ConsoleRecorder()

    let exitCode = await run("--help", recorder: recorder)

    #expect(recorder.output == Command.helpText + "\n")
    #expect(recorder.errors == "")
    #expect(exitCode == .success)
  }

  @Test func anOutputThatCannotBeWrittenIsAFailure() async {
    let recorder = ConsoleRecorder(isOutputFull: true)

    let exitCode = await run("--help", recorder: recorder)

    #expect(recorder.errors.hasPrefix("github-repos: The output could not be written: "))
    #expect(exitCode == .failure)
  }
}
