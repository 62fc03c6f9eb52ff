import GitHubSample
import Testing

struct ConsoleTests {
  @Test func progressIsALineOfItsOwnWithoutATerminal() {
    let recorder = ConsoleRecorder()

    recorder.console.showActivity("working")
    recorder.console.showProgress("1 of 2")
    recorder.console.print("result")
    recorder.console.hideActivity()

    #expect(recorder.output == "result\n")
    #expect(recorder.errors == "1 of 2\n")
  }

  @Test func progressComesAndGoesOnATerminal() {
    let recorder = ConsoleRecorder(isInteractive: true)
    let erase = "\r\u{1B}[K"

    recorder.console.showActivity("working")
    recorder.console.print("result")
    recorder.console.showProgress("1 of 2")
    recorder.console.hideActivity()
    recorder.console.report("done")

    #expect(recorder.output == "result\n")
    #expect(
      recorder.errors == "working" + erase + "working" + erase + "1 of 2" + erase + "done\n"
    )
  }

  @Test func anOutputThatFailsIsRemembered() {
    let recorder = ConsoleRecorder(isOutputFull: true)

    recorder.console.print("result")

    #expect(recorder.console.outputFailure != nil)
  }
}
