import Foundation
import GitHubSample
import Testing

/// Tests that the commands in the sample's README print the output that the README shows.
struct SampleReadmeTests {
  private static let readme = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("README.md")

  /// A command in the README, and the output that the README shows below the command.
  struct Session: CustomTestStringConvertible, Sendable {
    let command: String
    let output: String

    var testDescription: String { command }
  }

  private static let sessions: [Session] = {
    let text = (try? String(contentsOf: readme, encoding: .utf8)) ?? ""
    return text.components(separatedBy: "```console\n$ ").dropFirst().map { rest in
      let block = rest.components(separatedBy: "```")[0]
      let lines = block.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      return Session(command: String(lines[0]), output: lines.count > 1 ? String(lines[1]) : "")
    }
  }()

  @Test func readmeContainsTwoCommandsWithOutput() {
    #expect(SampleReadmeTests.sessions.count == 2)
  }

  @Test(arguments: sessions) func commandPrintsTheOutputThatTheReadmeShows(session: Session) async {
    let command = session.command.components(separatedBy: " | ")
    let terminal = Terminal(width: command.count > 1 ? nil : 96)

    let line = String(command[0].trimmingPrefix("github-repos "))
    let outcome = await runCommand(line, terminal: terminal, now: .ofTheReadme)

    #expect(outcome.output == session.output)
    #expect(outcome.exitCode == .success)
  }
}
