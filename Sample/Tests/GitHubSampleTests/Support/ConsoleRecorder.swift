import GitHubSample

/// Records the text that a console writes to the output stream and the error stream.
final class ConsoleRecorder: Sendable {
  struct Full: Error {}

  let console: Console
  private let outputText = Text()
  private let errorText = Text()

  init(showsActivity: Bool = false, isOutputFull: Bool = false) {
    console = Console(
      output: TextOutput { [outputText] text in
        if isOutputFull { throw Full() }
        outputText.append(text)
      },
      errors: TextOutput { [errorText] in errorText.append($0) },
      showsActivity: showsActivity
    )
  }

  var output: String { outputText.value }
  var errors: String { errorText.value }

  private final class Text: Sendable {
    private let text = Protected("")

    var value: String { text.withLock { $0 } }

    func append(_ more: String) {
      text.withLock { $0 += more }
    }
  }
}
