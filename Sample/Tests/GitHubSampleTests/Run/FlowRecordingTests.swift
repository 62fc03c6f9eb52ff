import FluxCapacitorTestSupport
import Foundation
import GitHubSample
import Testing

/// Tests of the output of `--log`, `--explore` and `--explore-live`.
@Suite(.timeLimit(.minutes(20)))
struct FlowRecordingTests {
  private let folder: TemporaryFolder
  private let page = MockApiSession.Reply.page("a", total: 1)

  init() throws { folder = try TemporaryFolder() }

  @Test func logFileAndExplorerPageContainAllStatesButNotTheToken() async throws {
    let (log, page) = (folder.file("flow.jsonl").path, folder.file("flow.html").path)
    let session = MockApiSession(
      .page("a", total: 2, next: "1"),
      .page("b", total: 2)
    )

    let outcome = await runCommand(
      "mona --token s3cret --log \(log) --explore \(page)",
      session: session
    )

    #expect(outcome.exitCode == .success)
    let lines = try folder.text(of: "flow.jsonl").split(separator: "\n")
    let html = try folder.text(of: "flow.html")
    #expect(lines.count == 5)
    #expect(lines[1].contains(#""state":"Repository.fetch(.began)""#))
    #expect(html.contains(#""state":["f","Repository.fetch",0,"","t.ended"]"#))
    #expect(!html.contains("s3cret") && !lines.joined().contains("s3cret"))
  }

  @Test func exploreLiveOptionServesAPageFetchesAgainAfterEnterAndSavesEachFetch() async throws {
    let session = MockApiSession(page, .page("b", total: 1))
    let recorder = ConsoleRecorder()
    let rounds = Protected<[Int]>([])

    let outcome = await runCommand(
      "mona --explore-live",
      session: session,
      recorder: recorder,
      cacheFolder: folder.url,
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

    #expect(outcome.output == String.line("a") + String.line("b"))
    #expect(rounds.withLock { $0 }.allSatisfy { $0 > 10_000 })
    #expect(session.requests.count == 2)
    #expect(outcome.exitCode == .success)
    #expect(await folder.runCached().output == .line("b"))
  }

  @Test(arguments: ["--log", "--explore"])
  func errorMessageNamesALogOrPageFileThatCannotBeWritten(option: String) async throws {
    let path = folder.url.path + "/none/flow"

    let outcome = await runCommand("mona \(option) \(path)", session: MockApiSession(page))

    #expect(outcome.exitCode == .failure)
    #expect(outcome.errors.hasPrefix("github-repos: \(path) could not be written: "))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: ["--log", "--explore"]
  )
  func errorMessageNamesALogOrPageFileOnAFullDisk(option: String) async throws {
    // The command must write through the symbolic link instead of replacing the link with a new
    // file.
    let link = folder.file("full").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")

    let outcome = await runCommand("mona \(option) \(link)", session: MockApiSession(page))

    #expect(outcome.exitCode == .failure)
    #expect(outcome.output == String.line("a"))
    #expect(outcome.errors.hasPrefix("github-repos: \(link) could not be written: "))
  }

  @Test func logOptionKeepsTheContentsOfAFileThatTheShellHasOpened() async throws {
    try folder.write("earlier\n", to: "app.log")
    let file = try FileHandle(forWritingTo: folder.file("app.log"))
    try file.seekToEnd()
    let path = "/dev/fd/\(file.fileDescriptor)"
    let link = folder.file("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)

    _ = await runCommand("mona --log \(path)", session: MockApiSession(page))
    _ = await runCommand("mona --log \(link)", session: MockApiSession(page))

    let lines = try folder.text(of: "app.log").split(separator: "\n")
    #expect(lines.first == "earlier")
    #expect(lines.count == 9)
  }

  /// The reader of a named pipe stops when the writer closes the pipe, so the command must open the
  /// pipe only once.
  @Test func logOptionOpensANamedPipeOnce() async throws {
    let pipe = folder.file("pipe")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    let reading = PseudoTerminal.read { try? FileHandle(forReadingFrom: pipe).allBytes() }

    let outcome = await runCommand("mona --log \(pipe.path)", session: MockApiSession(page))

    #expect(outcome.exitCode == .success)
    #expect(await reading.value.split(separator: "\n").count == 4)
  }
}
