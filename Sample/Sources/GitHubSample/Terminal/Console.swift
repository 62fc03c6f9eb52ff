/// The two streams of the command, and the line of activity that comes and goes on a terminal.
///
/// It may be used from any thread; lines never mix, and secrets never show.
package final class Console: Sendable {
  private struct State {
    /// The line that is on the terminal, and is erased before anything else is written.
    var activity: String?
    var outputFailure: String?
    var whenOutputFails: @Sendable () -> Void = {}
    var secret: String?
    var timeSpentWriting = Duration.zero

    func redacted(_ text: String) -> String {
      secret.map { text.replacing($0, with: "<token>") } ?? text
    }
  }

  /// Erases the line of activity.
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

  /// Why a line could not be written to the output, if one could not.
  package var outputFailure: String? {
    state.withLock { $0.outputFailure }
  }

  /// How long the command has waited for whoever reads the output.
  var timeSpentWriting: Duration {
    state.withLock { $0.timeSpentWriting }
  }

  /// Sets what is called when the output can't be written to any more.
  func whenOutputFails(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenOutputFails = body }
  }

  /// Redacts a secret in everything that is written from now on.
  ///
  /// Real tokens are long. A short one, for a server on this machine, may be an ordinary word.
  func redact(_ secret: String) {
    guard secret.utf8.count >= 8 else { return }
    state.withLock { $0.secret = secret }
  }

  /// Writes a line of the result.
  package func print(_ line: String) {
    print { line }
  }

  /// Writes a line of the result. If making it throws, the output counts as failed.
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

  /// Writes a line that is not a part of the result.
  package func report(_ line: String) {
    withActivityHidden { writeError($0.redacted(line + "\n")) }
  }

  /// Shows the current activity on a terminal, in a line that the next one replaces.
  package func showActivity(_ line: String) {
    guard showsActivity else { return }
    withActivityHidden { $0.activity = line }
  }

  package func hideActivity() {
    withActivityHidden { $0.activity = nil }
  }

  /// Erases the line of activity, and lets nothing more be written.
  ///
  /// - Parameter isStuck: Whether writing would block: then nothing is erased.
  package func close(unless isStuck: () -> Bool) {
    state.close(unless: isStuck) { state in
      if state.activity != nil, !isStuck() { writeError(Console.endOfActivity) }
    }
  }

  /// The lock is held while writing: it is what keeps lines whole and in order.
  private func withActivityHidden<Result>(_ write: (inout State) -> Result) -> Result {
    state.withLock { state in
      if state.activity != nil { writeError(Console.endOfActivity) }
      defer { if let activity = state.activity { writeError(activity) } }
      return write(&state)
    }
  }

  /// If this fails, there is nowhere left to report it.
  private func writeError(_ text: String) {
    try? errors.write(text)
  }
}
