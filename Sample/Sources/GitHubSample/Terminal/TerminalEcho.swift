import Foundation

/// Whether the terminal shows what is typed there.
package enum TerminalEcho {
  /// How the terminal was before it hid anything.
  private static let hidden = Protected<termios?>(nil)

  /// Hides what is typed while a closure runs, if standard input is a terminal. Line ends are shown.
  ///
  /// - Parameter whenHidden: Called before the closure if something is hidden.
  static func withoutEcho<Result>(whenHidden: () -> Void, _ body: () -> Result) -> Result {
    if hide() { whenHidden() }
    defer { restore() }
    return body()
  }

  /// Shows what is typed again, if something has hidden it; also before a signal ends the process.
  package static func restore() {
    hidden.withLock { settings in
      guard var before = settings else { return }
      tcsetattr(STDIN_FILENO, TCSANOW, &before)
      settings = nil
    }
  }

  private static func hide() -> Bool {
    hidden.withLock { settings in
      var before = termios()
      guard tcgetattr(STDIN_FILENO, &before) == 0 else { return false }
      settings = before
      before.c_lflag &= ~tcflag_t(ECHO)
      before.c_lflag |= tcflag_t(ECHONL)
      return tcsetattr(STDIN_FILENO, TCSANOW, &before) == 0
    }
  }
}
