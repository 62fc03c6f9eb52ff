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
    let session = MockApiSession(.page("ghp_secretOfMona", total: 2))

    let list = await runCommand("mona --token ghp_secretOfMona", session: session)
    let failure = await runCommand("ghp_secretOfMona --token ghp_secretOfMona", session: session)

    #expect(list.output == String.line("<token>"))
    #expect(!failure.errors.contains("ghp_secretOfMona"))
  }

  /// The environment can contain a copy without the end.
  @Test func consoleNeverWritesTheEndOfATokenWhoseBeginningIsKnownToo() async {
    let (session, recorder) = (
      MockApiSession(.page("ghp_secretOfMona", total: 2)), ConsoleRecorder()
    )
    _ = await runCommand("mona --token ghp_secret --nonsense", session: session, recorder: recorder)

    let list = await runCommand(
      "mona --token ghp_secretOfMona",
      session: session,
      recorder: recorder
    )

    #expect(list.output == String.line("<token>"))
  }
}
