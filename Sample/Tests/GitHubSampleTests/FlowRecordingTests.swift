import FluxCapacitorTesting
import Foundation
import GitHubSample
import Testing

/// What `--log` and `--explore` write.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(5)))
struct FlowRecordingTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  @Test func everyStateIsInTheLogAndOnThePage() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (log, page) = (folder.path + "/flow.jsonl", folder.path + "/flow.html")
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
    #expect(lines.count == 6)
    #expect(lines[1].contains(#""state":"Repository.removeAll""#))
    #expect(html.contains(#""state":"Repository.isFetching(false)""#))
    #expect(!html.contains("s3cret") && !lines.joined().contains("s3cret"))
  }

  @Test(arguments: ["--log", "--explore"])
  func aFileThatCanNotBeWrittenIsNamed(option: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let session = MockApiSession(.page("a", total: 1))

    let recorder = ConsoleRecorder()
    let exitCode = await runCommand(
      "mona",
      option,
      folder.path + "/none/flow",
      session: session,
      recorder: recorder
    )

    #expect(exitCode == .failure)
    let sentence = "github-repos: \(folder.path)/none/flow could not be written: "
    #expect(recorder.errors.hasPrefix(sentence))
    #expect(recorder.errors.split(separator: "\n").count == 1)
  }
}
