/// The two output streams of the command, and the temporary line of activity on a terminal.
///
/// You can use a console on any thread. Lines never mix, and the secret is never shown.
package final class Console: Sendable {
  private struct State {
    /// The line of activity that the terminal shows. It is erased before another line is written.
    var activity: String?
    var outputFailure: String?
    var whenOutputFails: @Sendable () -> Void = {}
    var secret: String?
    var timeSpentWriting = Duration.zero

    func redacted(_ text: String) -> String {
      secret.map { text.replacing($0, with: "<token>") } ?? text
    }
  }

  /// The characters that erase the line of activity.
  static let endOfActivity = "\r\u{1B}[K"

  private let state = Protected(State())
  private let output: TextOutput
  private let errors: TextOutput
  private let showsActivity: Bool

  /// - Parameter showsActivity: Whether `errors` is a terminal, where a line can be erased.
  package init(output: TextOutput, errors: TextOutput, showsActivity: Bool) {
    self.output = output
    self.errors = errors
    self.showsActivity = showsActivity
  }

  /// The reason why a line could not be written to the output, if that has happened.
  package var outputFailure: String? {
    state.withLock { $0.outputFailure }
  }

  /// The time that the command has spent writing to the output, which includes waiting for its
  /// reader.
  var timeSpentWriting: Duration {
    state.withLock { $0.timeSpentWriting }
  }

  /// Sets the closure that is called when the output can't be written.
  func whenOutputFails(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenOutputFails = body }
  }

  /// Redacts a secret in all text that is written from now on.
  ///
  /// A secret of less than 8 bytes is not redacted. Real tokens are longer, and a short token for a
  /// server on this machine may be an ordinary word.
  func redact(_ secret: String) {
    guard secret.utf8.count >= 8 else { return }
    state.withLock { $0.secret = secret }
  }

  /// Writes a line of the result.
  package func print(_ line: String) {
    print { line }
  }

  /// Writes a line of the result. If the closure throws, the output counts as failed.
  package func print(_ makeLine: () throws -> String) {
    let whenOutputFails = withActivityHidden { state -> (@Sendable () -> Void)? in
      guard state.outputFailure == nil else { return nil }
      let start = ContinuousClock.now
      defer { state.timeSpentWriting += .now - start }
      do {
        try output.write(state.redacted(makeLine() + "\n"))
        return nil
      } catch {
        state.outputFailure = error.localizedDescription
        return state.whenOutputFails
      }
    }
    whenOutputFails?()
  }

  /// Writes a line that is not a part of the result to the stream for errors.
  package func report(_ line: String) {
    withActivityHidden { writeError($0.redacted(line + "\n")) }
  }

  /// Shows a line of activity on a terminal. The next line of activity replaces it.
  package func showActivity(_ line: String) {
    guard showsActivity else { return }
    withActivityHidden { $0.activity = line }
  }

  package func hideActivity() {
    withActivityHidden { $0.activity = nil }
  }

  /// Erases the line of activity. After this, no line is written.
  ///
  /// - Parameter isStuck: Returns whether writing would block. If so, the line is not erased.
  package func close(unless isStuck: () -> Bool) {
    state.close(unless: isStuck) { state in
      if state.activity != nil, !isStuck() { writeError(Console.endOfActivity) }
    }
  }

  /// Erases the line of activity, calls a closure, and shows the line again.
  ///
  /// The lock is held during the call, which keeps lines whole and in order.
  private func withActivityHidden<Result>(_ write: (inout State) -> Result) -> Result {
    state.withLock { state in
      if state.activity != nil { writeError(Console.endOfActivity) }
      defer { if let activity = state.activity { writeError(activity) } }
      return write(&state)
    }
  }

  /// Writes to the stream for errors. A failure is ignored, because it can't be reported anywhere.
  private func writeError(_ text: String) {
    try? errors.write(text)
  }
}
