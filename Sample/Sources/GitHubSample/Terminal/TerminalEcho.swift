import Foundation

/// The echo of the terminal, which shows the characters that the user types.
package enum TerminalEcho {
  private enum State {
    case shown

    /// The echo is off. The associated value contains the terminal's earlier settings.
    case hidden(termios)

    /// The process is about to end.
    case over
  }

  private static let state = Protected(State.shown)

  /// If standard input is a terminal, turns the echo off while a closure runs. The terminal still
  /// shows line breaks.
  ///
  /// - Parameter whenHidden: A closure that is called if the echo was turned off, before `body`
  ///   runs.
  static func hidden<Result>(whenHidden: () -> Void, while body: () -> Result) -> Result {
    if hide() { whenHidden() }
    // A shell can change the terminal's settings while the process is stopped.
    let resumption = DispatchSource.makeSignalSource(signal: SIGCONT, queue: .global())
    resumption.setEventHandler { @Sendable in hideAgain() }
    resumption.resume()
    defer {
      resumption.cancel()
      show(.shown)
    }
    return body()
  }

  /// Turns the echo on again if the echo is off. Call this method when the process is about to end.
  package static func end() { show(.over) }

  private static func show(_ next: State) {
    state.withLock { state in
      if case .hidden(var before) = state, ownsTerminal {
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
      }
      if case .over = state { return }
      state = next
    }
  }

  private static func hide() -> Bool {
    state.withLock { state in
      var before = termios()
      guard case .shown = state, ownsTerminal, tcgetattr(STDIN_FILENO, &before) == 0, hide(before)
      else { return false }
      state = .hidden(before)
      return true
    }
  }

  private static func hideAgain() {
    state.withLock { state in
      if case .hidden(let before) = state, ownsTerminal { _ = hide(before) }
    }
  }

  private static func hide(_ before: termios) -> Bool {
    var settings = before
    settings.c_lflag &= ~tcflag_t(ECHO)
    settings.c_lflag |= tcflag_t(ECHONL)
    return tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0
  }

  /// Whether this process can change the terminal. If another job owns the terminal, a change would
  /// affect the other job.
  private static var ownsTerminal: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group == -1 || group == getpgrp()
  }
}
