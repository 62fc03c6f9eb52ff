/// The two streams of the command, and the line of activity that comes and goes on a terminal.
///
/// It may be used from any thread; lines never mix.
package final class Console: Sendable {
  private struct State {
    /// The line that is on the terminal, and is taken away before anything else is written.
    var activity: String?
    var outputFailure: String?
  }

  /// Takes the line of activity away, and brings back the cursor.
  static let endOfActivity = "\r\u{1B}[K\u{1B}[?25h"
  private static let beginOfActivity = "\u{1B}[?25l"

  private let state = Protected(State())
  private let output: TextOutput
  private let errors: TextOutput
  private let showsActivity: Bool

  /// - Parameter showsActivity: Whether `errors` is a terminal, where a line can be taken back.
  package init(output: TextOutput, errors: TextOutput, showsActivity: Bool) {
    self.output = output
    self.errors = errors
    self.showsActivity = showsActivity
  }

  /// Why a line could not be written to the output, if one could not.
  package var outputFailure: String? {
    state.withLock { $0.outputFailure }
  }

  /// Writes a line of the result.
  package func print(_ line: String) {
    print { line }
  }

  /// Writes a line of the result that may be impossible to make.
  package func print(_ makeLine: () throws -> String) {
    withActivityHidden { state in
      guard state.outputFailure == nil else { return }
      do {
        try output.write(makeLine() + "\n")
      } catch {
        state.outputFailure = error.localizedDescription
      }
    }
  }

  /// Writes a line that is not a part of the result.
  package func report(_ line: String) {
    withActivityHidden { _ in writeError(line + "\n") }
  }

  /// Shows what goes on, on a terminal only, in a line that later ones replace.
  package func showActivity(_ line: String) {
    guard showsActivity else { return }
    withActivityHidden { $0.activity = line }
  }

  package func hideActivity() {
    withActivityHidden { $0.activity = nil }
  }

  /// The lock is held while writing: it is what keeps lines whole and in order.
  private func withActivityHidden(_ write: (inout State) -> Void) {
    state.withLock { state in
      if state.activity != nil { writeError(Console.endOfActivity) }
      write(&state)
      if let activity = state.activity { writeError(Console.beginOfActivity + activity) }
    }
  }

  /// There is nobody left to tell if this fails.
  private func writeError(_ text: String) {
    try? errors.write(text)
  }
}
