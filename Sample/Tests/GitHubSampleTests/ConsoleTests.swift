import GitHubSample
import Testing

struct ConsoleTests {
  @Test func withoutATerminalThereIsNoActivity() {
    let recorder = ConsoleRecorder()

    recorder.console.showActivity("working")
    recorder.console.print("result")
    recorder.console.hideActivity()
    recorder.console.report("done")

    #expect(recorder.output == "result\n")
    #expect(recorder.errors == "done\n")
  }

  @Test func activityComesAndGoesOnATerminal() {
    let recorder = ConsoleRecorder(showsActivity: true)
    let (hide, erase) = ("\u{1B}[?25l", "\r\u{1B}[K\u{1B}[?25h")

    recorder.console.showActivity("working")
    recorder.console.print("result")
    recorder.console.showActivity("still")
    recorder.console.hideActivity()
    recorder.console.report("done")

    #expect(recorder.output == "result\n")
    #expect(
      recorder.errors
        == hide + "working" + erase + hide + "working" + erase + hide + "still" + erase + "done\n"
    )
  }

  @Test func anOutputThatFailsIsRemembered() {
    let recorder = ConsoleRecorder(isOutputFull: true)

    recorder.console.print("result")

    #expect(recorder.console.outputFailure != nil)
  }
}
