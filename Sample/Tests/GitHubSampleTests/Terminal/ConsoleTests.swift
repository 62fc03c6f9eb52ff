import FluxCapacitorTesting
import GitHubSample
import Testing

@Suite(.isolatedDispatcher)
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
    #expect(
      recorder.errors == "working" + erase + "working" + erase + "still" + erase + "done\n"
    )
  }

  @Test func consoleRemembersAFailedWriteToTheOutput() {
    let recorder = ConsoleRecorder(isOutputFull: true)

    recorder.console.print("result")

    #expect(recorder.console.outputFailure != nil)
  }

  @Test func consoleNeverWritesTheToken() async {
    let recorder = ConsoleRecorder()
    let session = MockApiSession(
      .success(Page(items: [GitHub.Repository.named("ghp_secretOfMona")], totalCount: 2)),
      token: "ghp_secretOfMona"
    )

    _ = await runCommand("mona", session: session, recorder: recorder)
    _ = await runCommand("ghp_secretOfMona", session: session, recorder: recorder)

    #expect(recorder.output == String.line("<token>"))
    #expect(!recorder.errors.contains("ghp_secretOfMona"))
  }
}
