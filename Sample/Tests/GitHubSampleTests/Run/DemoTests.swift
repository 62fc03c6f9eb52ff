import FluxCapacitorTesting
import Foundation
import GitHubSample
import Testing

@Suite(.isolatedDispatcher)
struct DemoTests {
  @Test func demoListsAsManyRepositoriesAsTheLimitOption() async {
    let recorder = ConsoleRecorder()

    let exitCode = await runCommand("--demo", "-L", "13", recorder: recorder)

    let lines = recorder.output.split(separator: "\n")
    #expect(lines.count == 13)
    #expect(
      lines.first == """
        octocat/Boysenberry-Clock\t4213\t381\tSwift\tpublic\t2025-09-14T09:41:00Z\t\
        Tells the time in fruit. Started as a joke, kept for the accuracy.
        """
    )
    #expect(recorder.errors == "")
    #expect(exitCode == .success)
  }

  @Test func demoListsAllRepositoriesWithTheAllOption() async {
    let recorder = ConsoleRecorder()

    let exitCode = await runCommand("--demo", "OctoCat", "--all", recorder: recorder)

    #expect(recorder.output.split(separator: "\n").count == 36)
    #expect(exitCode == .success)
  }

  @Test(arguments: [40, 60, 80, 120, 200])
  func demoTableFitsTheWidthOfTheTerminal(width: Int) async {
    let recorder = ConsoleRecorder()

    _ = await runCommand("--demo", "--all", recorder: recorder, terminal: Terminal(width: width))

    let table = recorder.output.split(separator: "\n").dropFirst()
    #expect(table.count == 38)
    for line in table { #expect(columns(of: line) <= width) }
  }

  @Test func demoFindsRecordedUsersAndShowsARecordedRepository() async {
    let (found, shown) = (ConsoleRecorder(), ConsoleRecorder())

    _ = await runCommand("search", "octo", "--demo", recorder: found)
    _ = await runCommand("show", "octocat/hello-octopus", "--demo", recorder: shown)

    #expect(found.output.split(separator: "\n").count == 3)
    #expect(shown.output.hasPrefix("name:\toctocat/hello-octopus\n"))
  }

  private static let sessions: [([String], String)] = [
    (
      ["search", "octo", "--demo"],
      """
      Showing 3 of 3 users matching 'octo'

      LOGIN     KIND          NAME
      octocat   user          The Octocat
      octomona  user
      octo-org  organization  Octo Org 🐙

      """
    ),
    (
      ["show", "octocat/hello-octopus", "--demo"],
      """
      octocat/hello-octopus
      The first repository that everyone forks.
      ★ 2871 · 5120 forks · HTML · public, fork
      pushed 1 year ago · created 6 years ago
      https://github.com/octocat/hello-octopus

      """
    ),
  ]

  @Test(arguments: sessions)
  func demoShowsRecordedUsersAndARecordedRepositoryOnATerminal(arguments: [String], output: String)
    async
  {
    let recorder = ConsoleRecorder()
    let environment = CommandEnvironment.test(
      MockApiSession(),
      recorder: recorder,
      terminal: .plain,
      now: Date(timeIntervalSince1970: 1_767_225_600)
    )

    let exitCode = await run(arguments: arguments, environment: environment)

    #expect(recorder.output == output)
    #expect(exitCode == .success)
  }

  @Test func demoReportsAnOwnerWithoutARecordingAsUnknown() async {
    let recorder = ConsoleRecorder()

    let exitCode = await runCommand("--demo", "mona", recorder: recorder)

    #expect(recorder.errors.contains("The demo has no user or organization named 'mona'."))
    #expect(exitCode == .failure)
  }

  /// Counts the columns of a line independently of the code under test. This method supports only
  /// the wide characters in the demo.
  private func columns(of line: Substring) -> Int {
    line.unicodeScalars.reduce(0) { columns, scalar in
      switch scalar.value {
      case 0x3040...0x9FFF, 0x1F300...0x1FAFF: columns + 2
      case 0xFE0F, 0x200D: columns
      default: columns + 1
      }
    }
  }
}
