import FluxCapacitorTesting
import GitHubSample
import Testing

/// Tests of the behavior that all commands share.
struct RunTests {
  @Test func spinnerAdvancesDuringARequest() async {
    let (gate, pauses) = (Gate(), Pauses())
    let erase = "\r\u{1B}[K"

    async let outcome = runCommand(
      "mona",
      session: MockApiSession(.held(gate, then: .page("a", total: 1))),
      recorder: ConsoleRecorder(showsActivity: true),
      terminal: Terminal(width: 80, showsActivity: true),
      pauses: pauses
    )
    await pauses.spinnerClock.sleeping()
    await pauses.spinnerClock.advance(by: .milliseconds(100))
    await pauses.spinnerClock.sleeping()
    gate.open()

    #expect(await outcome.exitCode == .success)
    #expect(await outcome.output.hasPrefix("Showing 1 of 1"))
    #expect(
      await outcome.errors
        == "⠋ Fetching repositories…" + erase + "⠙ Fetching repositories…" + erase
        + "⠙ Fetched 1 of 1 repositories…" + erase
    )
  }

  @Test func commandReportsTheWaitForARateLimitAndContinues() async {
    let pauses = Pauses()
    let session = MockApiSession(
      .failure(.rateLimited("slow", retryAfter: .seconds(2))),
      .page("a", total: 1)
    )

    // The time limit exceeds the time that the tests of a busy machine take.
    let outcome = await runCommand("mona --timeout=3600", session: session, pauses: pauses)

    #expect(outcome.errors == "mock limits the rate of requests; continuing in 2 seconds.\n")
    #expect(outcome.output == String.line("a"))
    #expect(pauses.durations == [.seconds(2)])
    #expect(outcome.exitCode == .success)
  }

  private static let failures: [(ApiError.Reason, String)] = [
    (
      .unknownOwner(login: "mo\u{1B}na"),
      """
      mock has no user or organization named 'mo\u{FFFD}na'. Check the spelling, and that the \
      token has access.
      """
    ),
    (
      .rateLimited("Slow\ndown.", retryAfter: .seconds(3_600)),
      "mock limits the rate of requests: Slow down. Try again in 60 minutes."
    ),
  ]

  @Test(arguments: failures, ["", "--json"])
  func commandReportsAFailedRequestInOneLine(
    failure: (reason: ApiError.Reason, sentence: String),
    option: String
  ) async {
    let outcome = await runCommand(
      "mona \(option)",
      session: MockApiSession(.failure(failure.reason))
    )

    #expect(outcome.output == "")
    #expect(outcome.errors == "github-repos: \(failure.sentence)\n")
    #expect(outcome.exitCode == .failure)
  }

  @Test(arguments: ["", "two words\n", "\n"])
  func commandReportsAnInvalidTokenFromStandardInput(input: String) async {
    let outcome = await runCommand("mona --token-stdin", input: input)

    #expect(
      outcome.errors == """
        github-repos: Standard input contains no token, or a token with an invalid character, \
        such as a space. Copy the token again, without other text.

        """
    )
    #expect(outcome.exitCode == .unauthorized)
  }

  @Test func commandReportsAnUnknownOptionAsAUsageError() async {
    let outcome = await runCommand("show a/b --fa\u{1B}st")

    #expect(outcome.output == "")
    #expect(
      outcome.errors.hasPrefix("github-repos: unknown option --fa\u{FFFD}st; the options are ")
    )
    #expect(outcome.errors.hasSuffix(", --version.\nSee github-repos show --help.\n"))
    #expect(outcome.exitCode == .usage)
  }

  @Test func helpOptionWritesTheHelpToStandardOutput() async {
    let outcome = await runCommand("show --help")

    #expect(outcome.output == Command.Topic.show.help + "\n")
    #expect(outcome.errors == "")
    #expect(outcome.exitCode == .success)
  }

  @Test func failedWriteToTheOutputEndsTheFetchAfterOneRequest() async {
    var requestCounts: Set<Int> = []
    // Whether the output fails early or late depends on the scheduling of threads, so the test
    // repeats the command.
    for _ in 0..<400 {
      let recorder = ConsoleRecorder(isOutputFull: true)
      let session = MockApiSession(
        .page("a", total: 3, next: "1"),
        .page("b", total: 3, next: "2"),
        .page("c", total: 3)
      )

      let outcome = await runCommand("mona --all", session: session, recorder: recorder)

      requestCounts.insert(session.requests.count)
      #expect(outcome.errors.split(separator: "\n").count == 1)
      #expect(outcome.exitCode == .failure)
    }

    #expect(requestCounts == [1])
  }
}
