import FluxCapacitorTesting
import GitHubSample
import Testing

/// Tests of the behavior that all commands share.
@Suite(.isolatedDispatcher)
struct RunTests {
  @Test func commandErasesTheSpinnerAfterTheFetch() async {
    let recorder = ConsoleRecorder(showsActivity: true)
    let session = MockApiSession(.page("a", total: 1))
    let erase = "\r\u{1B}[K"

    _ = await runCommand(
      "mona",
      session: session,
      recorder: recorder,
      terminal: Terminal(width: 80, showsActivity: true)
    )

    #expect(
      recorder.errors
        == "⠋ Fetching repositories…" + erase + "⠋ Fetched 1 of 1 repositories…" + erase
    )
    #expect(recorder.output.hasPrefix("Showing 1 of 1"))
  }

  @Test func spinnerAdvancesDuringARequest() async {
    let recorder = ConsoleRecorder(showsActivity: true)
    let (gate, pauses) = (Gate(), Pauses())
    let erase = "\r\u{1B}[K"

    async let exitCode = runCommand(
      "mona",
      session: MockApiSession(.held(gate, then: .page("a", total: 1))),
      recorder: recorder,
      terminal: Terminal(width: 80, showsActivity: true),
      pauses: pauses
    )
    await pauses.spinnerClock.sleeping()
    await pauses.spinnerClock.advance(by: .milliseconds(100))
    await pauses.spinnerClock.sleeping()
    gate.open()

    #expect(await exitCode == .success)
    #expect(
      recorder.errors
        == "⠋ Fetching repositories…" + erase + "⠙ Fetching repositories…" + erase
        + "⠙ Fetched 1 of 1 repositories…" + erase
    )
  }

  @Test func commandReportsTheWaitForARateLimitAndContinues() async {
    let recorder = ConsoleRecorder()
    let pauses = Pauses()
    let session = MockApiSession(
      .failure(.rateLimited("slow", retryAfter: .seconds(2))),
      .page("a", total: 1)
    )

    // The time limit exceeds the time that the tests of a busy machine take.
    let exitCode = await runCommand(
      "mona",
      "--timeout=3600",
      session: session,
      recorder: recorder,
      pauses: pauses
    )

    #expect(recorder.errors == "mock limits the rate of requests; continuing in 2 seconds.\n")
    #expect(recorder.output == String.line("a"))
    #expect(pauses.durations == [.seconds(2)])
    #expect(exitCode == .success)
  }

  private static let failures: [(ApiError.Reason, ExitCode, String)] = [
    (
      .missingToken(variables: ["GH_TOKEN", "GITHUB_TOKEN"]), .unauthorized,
      "mock requires a token. Set GH_TOKEN or GITHUB_TOKEN, or try --demo."
    ),
    (
      .unknownOwner(login: "mo\u{1B}na"), .failure,
      """
      mock has no user or organization named 'mo\u{FFFD}na'. Check the spelling, and that the \
      token has access.
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
      mock sent no complete response within 20 seconds. Check the network, --hostname and \
      GITHUB_GRAPHQL_URL, or try again later.
      """
    ),
  ]

  @Test(arguments: failures)
  func commandReportsAFailedRequestInOneLine(
    reason: ApiError.Reason,
    exitCode: ExitCode,
    line: String
  ) async {
    let recorder = ConsoleRecorder()

    let actual = await runCommand(
      "mona",
      session: MockApiSession(.failure(reason)),
      recorder: recorder
    )

    #expect(recorder.output == "")
    #expect(recorder.errors == "github-repos: \(line)\n")
    #expect(actual == exitCode)
  }

  @Test func commandWritesNoJSONWhenTheFirstPageFails() async {
    let recorder = ConsoleRecorder()

    _ = await runCommand(
      "mona",
      "--json",
      session: MockApiSession(.failure(.unexpectedShape)),
      recorder: recorder
    )

    #expect(recorder.output == "")
  }

  @Test(arguments: ["", "two words\n", "\n"])
  func commandReportsAnInvalidTokenFromStandardInput(input: String) async {
    let recorder = ConsoleRecorder()

    let exitCode = await runCommand("mona", "--token-stdin", recorder: recorder, input: input)

    #expect(
      recorder.errors == """
        github-repos: Standard input contains no token, or a token with an invalid character, \
        such as a space. Copy the token again, without other text.

        """
    )
    #expect(exitCode == .unauthorized)
  }

  @Test func commandReportsAnUnknownOptionAsAUsageError() async {
    let recorder = ConsoleRecorder()

    let exitCode = await runCommand("show", "a/b", "--fa\u{1B}st", recorder: recorder)

    #expect(recorder.output == "")
    #expect(
      recorder.errors == """
        github-repos: unknown option --fa\u{FFFD}st; the options are --json, --hostname, --timeout, \
        --color, --token, --token-stdin, --demo, --log, --explore, --explore-live, \
        --help, --version.
        See github-repos show --help.

        """
    )
    #expect(exitCode == .usage)
  }

  @Test func helpOptionWritesTheHelpToStandardOutput() async {
    let recorder = ConsoleRecorder()

    let exitCode = await runCommand("show", "--help", recorder: recorder)

    #expect(recorder.output == Command.Topic.show.help + "\n")
    #expect(recorder.errors == "")
    #expect(exitCode == .success)
  }

  @Test func failedWriteToTheOutputEndsTheFetchAfterOneRequest() async {
    var requestCounts: Set<Int> = []
    // Whether the output fails early or late depends on the scheduling of threads, so the test
    // repeats the command.
    for _ in 0..<2_000 {
      let recorder = ConsoleRecorder(isOutputFull: true)
      let session = MockApiSession(
        .page("a", total: 3, next: "1"),
        .page("b", total: 3, next: "2"),
        .page("c", total: 3)
      )

      let exitCode = await runCommand("mona", "--all", session: session, recorder: recorder)

      requestCounts.insert(session.requests.count)
      #expect(recorder.errors.split(separator: "\n").count == 1)
      #expect(exitCode == .failure)
    }

    #expect(requestCounts == [1])
  }

  @Test func commandReportsAFailedWriteToTheOutput() async {
    let recorder = ConsoleRecorder(isOutputFull: true)

    let exitCode = await runCommand("--help", recorder: recorder)

    #expect(recorder.errors.hasPrefix("github-repos: The output could not be written: "))
    #expect(exitCode == .failure)
  }
}
