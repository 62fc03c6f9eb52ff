import FluxCapacitor
import Foundation
import GitHubSample
import Testing

/// Each command on a terminal and into a pipe, against exact text.
struct RunTests {
  /// A terminal with neither colours nor a spinner.
  private let terminal = Terminal(width: 80)

  private func run(
    _ arguments: String...,
    session: MockApiSession = MockApiSession(),
    recorder: ConsoleRecorder,
    terminal: Terminal = Terminal(width: nil),
    input: String = "",
    pauses: Pauses = Pauses()
  ) async -> ExitCode {
    let environment = CommandEnvironment.test(
      session,
      recorder: recorder,
      terminal: terminal,
      input: input,
      pauses: pauses
    )
    return await withDispatcher(Dispatcher()) {
      await GitHubSample.run(arguments: arguments, environment: environment)
    }
  }

  private static let repositories: [GitHub.Repository] = {
    let now: TimeInterval = 1_700_000_000
    var clock = GitHub.Repository.named("clock")
    clock.summary = "Tells the time.\nAnd the date."
    clock.stargazerCount = 4_213
    clock.primaryLanguage = "Swift"
    clock.pushedAt = Date(timeIntervalSince1970: now - 3 * 3_600)
    var kaizu = GitHub.Repository.named("kaizu")
    kaizu.summary = "港と航路のための小さな地図ライブラリ、とても長い説明がここに続きます"
    kaizu.primaryLanguage = "C++"
    kaizu.isFork = true
    kaizu.visibility = .private
    kaizu.pushedAt = Date(timeIntervalSince1970: now - 400 * 86_400)
    return [clock, kaizu, .named("empty")]
  }()

  private func page(total: Int = 3) -> MockApiSession.Reply {
    .success(Page(items: RunTests.repositories, totalCount: total))
  }

  // MARK: List

  @Test func aListOnATerminal() async {
    let recorder = ConsoleRecorder()

    let exitCode = await run(
      "mona",
      session: MockApiSession(page()),
      recorder: recorder,
      terminal: terminal
    )

    #expect(
      recorder.output == """
        Showing 3 of 3 repositories in @mona

        NAME        STARS  LANGUAGE  INFO           PUSHED       DESCRIPTION
        mona/clock   4213  Swift     public         3 hours ago  Tells the time. And th…
        mona/kaizu      1  C++       private, fork  1 year ago   港と航路のための小さな…
        mona/empty      1            public

        C++ █████ 50% · Swift █████ 50%

        """
    )
    #expect(recorder.errors == "")
    #expect(exitCode == .success)
  }

  @Test func aListInAPipe() async {
    let recorder = ConsoleRecorder()

    let exitCode = await run("mona", session: MockApiSession(page()), recorder: recorder)

    #expect(
      recorder.output == """
        mona/clock\t4213\t0\tSwift\tpublic\t2023-11-14T19:13:20Z\tTells the time. And the date.
        mona/kaizu\t1\t0\tC++\tprivate, fork\t2022-10-10T22:13:20Z\t\
        港と航路のための小さな地図ライブラリ、とても長い説明がここに続きます
        mona/empty\t1\t0\t\tpublic\t\t

        """
    )
    #expect(recorder.errors == "")
    #expect(exitCode == .success)
  }

  @Test func aListAsJSON() async {
    let recorder = ConsoleRecorder()

    let exitCode = await run(
      "mona",
      "--json",
      "primaryLanguage,nameWithOwner,pushedAt",
      session: MockApiSession(page()),
      recorder: recorder
    )

    #expect(
      recorder.output == """
        [{"nameWithOwner":"mona/clock","primaryLanguage":{"name":"Swift"},"pushedAt":"2023-11-14T19:13:20Z"},\
        {"nameWithOwner":"mona/kaizu","primaryLanguage":{"name":"C++"},"pushedAt":"2022-10-10T22:13:20Z"},\
        {"nameWithOwner":"mona/empty","primaryLanguage":null,"pushedAt":null}]

        """
    )
    #expect(exitCode == .success)
  }

  @Test func JSONIsHarmlessAndLosesNothing() async throws {
    let recorder = ConsoleRecorder()
    let text = "\u{1B}[2J \u{202E}\u{9B}1m \u{E0001} 日本語 👩‍👩‍👧‍👦"
    var repository = GitHub.Repository.named("a")
    repository.summary = text
    let session = MockApiSession(.success(Page(items: [repository], totalCount: 1)))

    _ = await run("mona", "--json=description", session: session, recorder: recorder)

    #expect(recorder.output.unicodeScalars.allSatisfy { $0.properties.generalCategory != .format })
    #expect(!recorder.output.contains("\u{1B}") && !recorder.output.contains("\u{9B}"))
    let decoded = try JSONDecoder().decode(
      [[String: String]].self,
      from: Data(recorder.output.utf8)
    )
    #expect(decoded == [["description": text]])
  }

  @Test func coloursAreForTerminalsThatWantThem() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.page("a", total: 1))

    _ = await run(
      "mona",
      session: session,
      recorder: recorder,
      terminal: Terminal(width: 80, hasColors: true)
    )

    #expect(
      recorder.output.split(separator: "\n").last
        == "\u{1B}[1mmona/a\u{1B}[0m      \u{1B}[33m1\u{1B}[0m            public"
    )
  }

  @Test(arguments: [("--color=always", true), ("--color=never", false), ("--color=auto", false)])
  func theCommandLineHasTheLastWordOnColours(argument: String, hasColors: Bool) async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.page("a", total: 1))

    _ = await run("mona", argument, session: session, recorder: recorder, terminal: terminal)

    #expect(recorder.output.contains("\u{1B}[") == hasColors)
  }

  @Test func linesComeWithEachPage() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(
      .page("a", "b", total: 3, next: "1"),
      .failure(.notJSON(status: 200))
    )

    let exitCode = await run("mona", "--all", session: session, recorder: recorder)

    #expect(recorder.output == String.line("a") + .line("b"))
    #expect(
      recorder.errors == """
        github-repos: mock sent something that is not JSON (HTTP 200). Check --hostname and \
        GITHUB_GRAPHQL_URL, or try again later. The list above is incomplete: it has 2 of 3.

        """
    )
    #expect(exitCode == .failure)
  }

  @Test func aLimitSaysThatThereIsMore() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.page("a", total: 3, next: "1"))

    let exitCode = await run(
      "mona",
      "-L",
      "1",
      session: session,
      recorder: recorder,
      terminal: terminal
    )

    #expect(session.requests == [.ofMona(first: 1)])
    #expect(
      recorder.output.hasPrefix(
        "Showing 1 of 3 repositories in @mona; see --limit and --all\n\nNAME"
      )
    )
    #expect(exitCode == .success)
  }

  @Test func thirtyAreAskedForUnlessToldOtherwise() async {
    let session = MockApiSession(.page("a", total: 1))

    _ = await run("mona", session: session, recorder: ConsoleRecorder())

    #expect(session.requests == [.ofMona(first: 30)])
  }

  @Test func whatIsWantedIsAskedFor() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.page("a", total: 1))
    var query = RepositoryQuery(login: "mona")
    query.order = .pushed
    query.isFork = false

    _ = await run(
      "mona",
      "--sort",
      "pushed",
      "--source",
      session: session,
      recorder: recorder,
      terminal: terminal
    )

    #expect(session.requests == [RepositoriesRequest(query, first: 100)])
    #expect(recorder.output.hasPrefix("Showing 1 matching repositories in @mona\n"))
  }

  @Test func withoutALoginTheTokenSaysWhose() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(
      .success(GitHub.User(login: "mona")),
      .page("a", total: 1)
    )

    let exitCode = await run(session: session, recorder: recorder)

    #expect(session.requests == [.ofMona(first: 30)])
    #expect(recorder.output == String.line("a"))
    #expect(exitCode == .success)
  }

  @Test func withoutALoginATokenIsNeededToo() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.failure(.rejectedToken("Bad credentials")))

    let exitCode = await run(session: session, recorder: recorder)

    #expect(
      recorder.errors
        == "github-repos: mock rejected the token: Bad credentials. Give it a valid one.\n"
    )
    #expect(exitCode == .unauthorized)
  }

  @Test func anOwnerWithoutRepositoriesIsNoFailure() async {
    let (onTerminal, inPipe) = (ConsoleRecorder(), ConsoleRecorder())
    let session = MockApiSession(.page(total: 0), .page(total: 0))

    let exitCodes = [
      await run("mona", session: session, recorder: onTerminal, terminal: terminal),
      await run("mona", session: session, recorder: inPipe),
    ]

    #expect(onTerminal.output + inPipe.output == "")
    #expect(onTerminal.errors == "@mona has no repositories.\n")
    #expect(inPipe.errors == "")
    #expect(exitCodes == [.success, .success])
  }

  // MARK: Search and show

  private let users = [
    GitHub.User(login: "mona", name: "Mona\tLisa"),
    GitHub.User(login: "octo-org", isOrganization: true),
  ]

  @Test func aSearchOnATerminal() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.success(Page(items: users, totalCount: 7)))

    let exitCode = await run(
      "search",
      "mo",
      "-L2",
      session: session,
      recorder: recorder,
      terminal: terminal
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

  @Test func aSearchInAPipe() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.success(Page(items: users, totalCount: 2)))

    _ = await run("search", "mo", session: session, recorder: recorder)

    #expect(recorder.output == "mona\tuser\tMona Lisa\nocto-org\torganization\t\n")
    #expect(recorder.errors == "")
  }

  @Test func oneRepositoryOnATerminal() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.success(RunTests.repositories[0]))

    let exitCode = await run(
      "show",
      "mona/clock",
      session: session,
      recorder: recorder,
      terminal: terminal
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

  @Test func oneRepositoryInAPipe() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.success(RunTests.repositories[0]))

    _ = await run("show", "mona/clock", session: session, recorder: recorder)

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

  @Test func oneRepositoryAsJSON() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(.success(RunTests.repositories[1]))

    _ = await run(
      "show",
      "mona/kaizu",
      "--json",
      "isPrivate,isFork",
      session: session,
      recorder: recorder,
      terminal: terminal
    )

    #expect(recorder.output == "{\n  \"isFork\" : true,\n  \"isPrivate\" : true\n}\n")
  }

  // MARK: The rest

  @Test func aSpinnerGivesWayToTheTable() async {
    let recorder = ConsoleRecorder(showsActivity: true)
    let session = MockApiSession(.page("a", total: 1))
    let (hide, erase) = ("\u{1B}[?25l", "\r\u{1B}[K\u{1B}[?25h")

    _ = await run(
      "mona",
      session: session,
      recorder: recorder,
      terminal: Terminal(width: 80, showsActivity: true)
    )

    #expect(
      recorder.errors == hide + "⠋ Fetching repositories…" + erase + hide
        + "⠋ Fetched 1 of 1 repositories…" + erase
    )
    #expect(recorder.output.hasPrefix("Showing 1 of 1"))
  }

  @Test func aRateLimitThatIsWaitedOutIsSaid() async {
    let recorder = ConsoleRecorder()
    let pauses = Pauses()
    let session = MockApiSession(
      .failure(.rateLimited("slow", retryAfter: .seconds(2))),
      .page("a", total: 1)
    )

    let exitCode = await run("mona", session: session, recorder: recorder, pauses: pauses)

    #expect(recorder.errors == "mock limits the rate of requests; going on in 2 seconds.\n")
    #expect(recorder.output == String.line("a"))
    #expect(pauses.durations == [.seconds(2)])
    #expect(exitCode == .success)
  }

  private static let failures: [(ApiError.Reason, ExitCode, String)] = [
    (
      .missingToken(variables: ["GH_TOKEN", "GITHUB_TOKEN"]), .unauthorized,
      "mock answers nobody without a token. Set GH_TOKEN or GITHUB_TOKEN, or try --demo."
    ),
    (
      .unknownOwner(login: "mo\u{1B}na"), .failure,
      """
      mock knows no user or organization named 'mo\u{FFFD}na'. Check the spelling, and that the \
      token may see it.
      """
    ),
    (
      .forbidden("Protected by SAML.", singleSignOn: "https://github.com/sso"), .failure,
      "mock refused the request: Protected by SAML. Authorize the token here: https://github.com/sso"
    ),
    (
      .rateLimited("Slow\ndown.", retryAfter: .seconds(3_600)), .failure,
      "mock limits the rate of requests: Slow down. Try again in 60 minutes."
    ),
    (
      .timedOut(after: .seconds(20)), .failure,
      """
      mock gave no complete answer within 20 seconds. Check the network, --hostname and \
      GITHUB_GRAPHQL_URL, or try again later.
      """
    ),
  ]

  @Test(arguments: failures)
  func aFailureIsOneLine(reason: ApiError.Reason, exitCode: ExitCode, line: String) async {
    let recorder = ConsoleRecorder()

    let actual = await run("mona", session: MockApiSession(.failure(reason)), recorder: recorder)

    #expect(recorder.output == "")
    #expect(recorder.errors == "github-repos: \(line)\n")
    #expect(actual == exitCode)
  }

  @Test func aFailureWritesNoEmptyJSON() async {
    let recorder = ConsoleRecorder()

    _ = await run(
      "mona",
      "--json",
      session: MockApiSession(.failure(.unexpectedShape)),
      recorder: recorder
    )

    #expect(recorder.output == "")
  }

  @Test(arguments: ["", "two words\n", "\n"])
  func aTokenFromTheInputIsChecked(input: String) async {
    let recorder = ConsoleRecorder()

    let exitCode = await run("mona", "--token-stdin", recorder: recorder, input: input)

    #expect(
      recorder.errors == """
        github-repos: Standard input holds no token, or one with a character that no token has, \
        such as a space. Copy it again, alone.

        """
    )
    #expect(exitCode == .unauthorized)
  }

  @Test func anUnknownOptionIsAUsageError() async {
    let recorder = ConsoleRecorder()

    let exitCode = await run("show", "a/b", "--fa\u{1B}st", recorder: recorder)

    #expect(recorder.output == "")
    #expect(
      recorder.errors == """
        github-repos: unknown option --fa\u{FFFD}st; the options are --json, --hostname, --timeout, \
        --color, --token, --token-stdin, --demo, --help, --version.
        See github-repos --help.

        """
    )
    #expect(exitCode == .usage)
  }

  @Test func helpIsAResult() async {
    let recorder = ConsoleRecorder()

    let exitCode = await run("show", "--help", recorder: recorder)

    #expect(recorder.output == Command.Topic.show.help + "\n")
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
