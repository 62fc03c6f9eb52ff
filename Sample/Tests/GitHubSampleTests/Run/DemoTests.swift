import FluxCapacitorTesting
import GitHubSample
import Testing

@Suite(.isolatedDispatcher)
struct DemoTests {
  @Test func thirteenFromTwoPages() async {
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

  @Test func allOfThem() async {
    let recorder = ConsoleRecorder()

    let exitCode = await runCommand("--demo", "OctoCat", "--all", recorder: recorder)

    #expect(recorder.output.split(separator: "\n").count == 36)
    #expect(exitCode == .success)
  }

  @Test(arguments: [40, 60, 80, 120, 200])
  func noLineIsWiderThanTheTerminal(width: Int) async {
    let recorder = ConsoleRecorder()

    _ = await runCommand("--demo", "--all", recorder: recorder, terminal: Terminal(width: width))

    let table = recorder.output.split(separator: "\n").dropFirst()
    #expect(table.count == 38)
    for line in table { #expect(columns(of: line) <= width) }
  }

  @Test func aSearchAndARepositoryAreRecordedToo() async {
    let (found, shown) = (ConsoleRecorder(), ConsoleRecorder())

    _ = await runCommand("search", "octo", "--demo", recorder: found)
    _ = await runCommand("show", "octocat/hello-octopus", "--demo", recorder: shown)

    #expect(found.output.split(separator: "\n").count == 3)
    #expect(shown.output.hasPrefix("name:\toctocat/hello-octopus\n"))
  }

  @Test func anotherOwnerIsUnknown() async {
    let recorder = ConsoleRecorder()

    let exitCode = await runCommand("--demo", "mona", recorder: recorder)

    #expect(recorder.errors.contains("The demo knows no user or organization named 'mona'."))
    #expect(exitCode == .failure)
  }

  /// Counted apart from the code under test: what is wide in the demo takes three bytes or four.
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
