import GitHubSample
import Testing

struct ConsoleTests {
  @Test func consoleShowsNoActivityLineWithoutATerminal() {
    let recorder = ConsoleRecorder()

    recorder.console.showActivity("working")
    recorder.console.print("result")
    recorder.console.hideActivity()
    recorder.console.report("done")

    #expect(recorder.output == "result\n")
    #expect(recorder.errors == "done\n")
  }

  @Test func consoleShowsTheActivityLineAgainAfterEachWrittenLine() {
    let recorder = ConsoleRecorder(showsActivity: true)
    let erase = "\r\u{1B}[K"

    recorder.console.showActivity("working")
    recorder.console.print("result")
    recorder.console.showActivity("still")
    recorder.console.hideActivity()
    recorder.console.report("done")

    #expect(recorder.output == "result\n")
    #expect(recorder.errors == "working" + erase + "working" + erase + "still" + erase + "done\n")
  }

  @Test func consoleNeverWritesTheToken() async {
    let session = MockApiSession(
      .success(Page(items: [GitHub.Repository.named("ghp_secretOfMona")], totalCount: 2)),
      token: "ghp_secretOfMona"
    )

    let list = await runCommand("mona", session: session)
    let failure = await runCommand("ghp_secretOfMona", session: session)

    #expect(list.output == String.line("<token>"))
    #expect(!failure.errors.contains("ghp_secretOfMona"))
  }
}
