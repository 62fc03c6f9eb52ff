import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import GitHubSample
import Testing

/// Tests of the output of `--log`, `--explore` and `--explore-live`.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct FlowRecordingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func logFileAndExplorerPageContainAllStatesButNotTheToken() async throws {
    let (log, page) = (folder.file("flow.jsonl").path, folder.file("flow.html").path)
    let replies: (MockApiSession.Reply, MockApiSession.Reply) = (
      .page("a", total: 2, next: "1"), .page("b", total: 2)
    )
    let session = MockApiSession(replies.0, replies.1, token: "s3cret")

    let exitCode = await runCommand(
      "mona",
      "--log",
      log,
      "--explore",
      page,
      session: session,
      recorder: ConsoleRecorder()
    )

    #expect(exitCode == .success)
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(lines.count == 5)
    #expect(lines[1].contains(#""state":"Repository.fetch(.began)""#))
    #expect(html.contains(#""state":["f","Repository.fetch",0,"","t.ended"]"#))
    #expect(!html.contains("s3cret") && !lines.joined().contains("s3cret"))
  }

  @Test func exploreLiveOptionServesAPageAndFetchesAgainAfterEnter() async throws {
    let session = MockApiSession(.page("a", total: 1), .page("b", total: 1))
    let recorder = ConsoleRecorder()
    let rounds = Protected<[Int]>([])

    let exitCode = await runCommand(
      "mona",
      "--explore-live",
      session: session,
      recorder: recorder,
      awaitEnter: {
        let address =
          recorder.errors.firstMatch(of: /Watch the flow at (http:\S+)\n/)?.output.1 ?? ""
        let page = URL(string: String(address)).flatMap { try? Data(contentsOf: $0) }
        return rounds.withLock {
          $0.append(page?.count ?? 0)
          return $0.count < 2
        }
      }
    )

    #expect(recorder.output == String.line("a") + String.line("b"))
    #expect(rounds.withLock { $0 }.allSatisfy { $0 > 10_000 })
    #expect(session.requests.count == 2)
    #expect(exitCode == .success)
  }

  @Test(arguments: ["--log", "--explore"])
  func errorMessageNamesALogOrPageFileThatCannotBeWritten(option: String) async throws {
    let session = MockApiSession(.page("a", total: 1))

    let recorder = ConsoleRecorder()
    let exitCode = await runCommand(
      "mona",
      option,
      folder.url.path + "/none/flow",
      session: session,
      recorder: recorder
    )

    #expect(exitCode == .failure)
    let sentence = "github-repos: \(folder.url.path)/none/flow could not be written: "
    #expect(recorder.errors.hasPrefix(sentence))
    #expect(recorder.errors.split(separator: "\n").count == 1)
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: ["--log", "--explore"]
  )
  func errorMessageNamesALogOrPageFileOnAFullDisk(option: String) async throws {
    let session = MockApiSession(.page("a", total: 1))
    // The command must write through the symbolic link instead of replacing the link with a new
    // file.
    let link = folder.file("full")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "/dev/full")

    let recorder = ConsoleRecorder()
    let exitCode = await runCommand("mona", option, link.path, session: session, recorder: recorder)

    #expect(exitCode == .failure)
    #expect(recorder.output == String.line("a"))
    #expect(recorder.errors.hasPrefix("github-repos: \(link.path) could not be written: "))
  }

  /// The reader of a named pipe stops when the writer closes the pipe, so the command must open the
  /// pipe only once.
  @Test func logOptionOpensANamedPipeOnce() async throws {
    let pipe = folder.file("pipe")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    let reading = PseudoTerminal.read { try? FileHandle(forReadingFrom: pipe).allBytes() }

    let exitCode = await runCommand(
      "mona",
      "--log",
      pipe.path,
      session: MockApiSession(.page("a", total: 1)),
      recorder: ConsoleRecorder()
    )

    #expect(exitCode == .success)
    let text = await reading.value
    #expect(text.split(separator: "\n").count == 4)
  }
}
