/// The command's output stream, error stream, and temporary activity line on a terminal.
///
/// You can use a console on any thread. The console writes complete lines, and never writes a token
/// that it knows.
package final class Console: Sendable {
  private struct State {
    /// The activity line that the terminal shows. The console erases the activity line before it
    /// writes any other line.
    var activity: String?
    var outputFailure: (any Error)?
    var whenOutputFails: @Sendable () -> Void = {}
    var redactions: [Redaction] = []
    var timeSpentWriting = Duration.zero

    func redacted(_ text: String) -> String {
      redactions.reduce(text) { $1($0) }
    }
  }

  /// The control characters that erase the activity line.
  static let endOfActivity = "\r\u{1B}[K"

  private let state = Protected(State())
  private let output: TextOutput
  private let errors: TextOutput
  private let showsActivity: Bool

  /// - Parameter showsActivity: Whether `errors` is a terminal, on which the console can erase a
  ///   line.
  package init(output: TextOutput, errors: TextOutput, showsActivity: Bool) {
    self.output = output
    self.errors = errors
    self.showsActivity = showsActivity
  }

  /// The error of writing to the output, or nil if no write has failed.
  var outputFailure: (any Error)? {
    state.withLock { $0.outputFailure }
  }

  /// The time that the command has spent writing to the output, including the time spent waiting
  /// for a reader.
  var timeSpentWriting: Duration {
    state.withLock { $0.timeSpentWriting }
  }

  /// Sets the closure that the console calls when writing to the output fails.
  func whenOutputFails(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenOutputFails = body }
  }

  /// Redacts tokens in all later text, unless they are too short. See `Redaction`.
  func redact(_ tokens: [String]) {
    let secrets = tokens.compactMap { AccessToken($0)?.secret }
    state.withLock { state in
      // A token can contain another one, such as the copied beginning of a token.
      state.redactions += secrets.compactMap(Redaction.init)
      state.redactions.sort { $0.length > $1.length }
    }
  }

  /// Returns a text without the tokens that the console knows.
  func redacted(_ text: String) -> String { state.withLock { $0.redacted(text) } }

  /// Writes a line to the output stream.
  package func print(_ line: String) {
    print { line }
  }

  /// Writes a line to the output stream. If the closure throws, the output counts as failed.
  package func print(_ makeLine: () throws -> String) {
    let whenOutputFails = withActivityHidden { state -> (@Sendable () -> Void)? in
      guard state.outputFailure == nil else { return nil }
      let start = ContinuousClock.now
      defer { state.timeSpentWriting += .now - start }
      do {
        try output.write(state.redacted(makeLine() + "\n"))
        return nil
      } catch {
        state.outputFailure = error
        return state.whenOutputFails
      }
    }
    whenOutputFails?()
  }

  /// Writes a message to the error stream.
  package func report(_ line: String) {
    withActivityHidden { writeError($0.redacted(line + "\n")) }
  }

  /// Shows an activity line on a terminal, until the next activity line replaces the text.
  package func showActivity(_ line: String) {
    guard showsActivity else { return }
    withActivityHidden { $0.activity = line }
  }

  package func hideActivity() {
    withActivityHidden { $0.activity = nil }
  }

  /// Erases the activity line, and prevents all later writes.
  ///
  /// - Parameter isStuck: A closure that returns whether writing would block. If writing would
  ///   block, the activity line is not erased.
  package func close(unless isStuck: () -> Bool) {
    state.close(unless: isStuck) { state in
      if state.activity != nil, !isStuck() { writeError(Console.endOfActivity) }
    }
  }

  /// Erases the activity line, calls a closure, and shows the activity line again.
  ///
  /// The console holds its lock while the closure runs, so lines from several threads never mix.
  private func withActivityHidden<Result>(_ write: (inout State) -> Result) -> Result {
    state.withLock { state in
      if state.activity != nil { writeError(Console.endOfActivity) }
      defer { if let activity = state.activity { writeError(activity) } }
      return write(&state)
    }
  }

  /// Writes to the error stream. The console ignores a failure, because no other stream could
  /// report the failure.
  private func writeError(_ text: String) {
    try? errors.write(text)
  }
}
