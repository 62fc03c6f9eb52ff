import GitHubSample

/// Records the text that a console writes to the output stream and the error stream.
final class ConsoleRecorder: Sendable {
  struct Full: Error {}

  let console: Console
  private let outputText = Protected("")
  private let errorText = Protected("")

  init(showsActivity: Bool = false, isOutputFull: Bool = false) {
    console = Console(
      output: TextOutput { [outputText] text in
        if isOutputFull { throw Full() }
        outputText.withLock { $0 += text }
      },
      errors: TextOutput { [errorText] text in errorText.withLock { $0 += text } },
      showsActivity: showsActivity
    )
  }

  var output: String { outputText.withLock { $0 } }
  var errors: String { errorText.withLock { $0 } }
}
