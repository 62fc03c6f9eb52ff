import Foundation

/// What a command needs of the world around it, so that tests can give it another.
package struct CommandEnvironment: ViewEnvironment {
  package let console: Console
  package let terminal: Terminal

  /// Makes a session for the options, which gives up at the deadline.
  package let makeSession: @Sendable (ConnectionOptions, Deadline) -> any ApiSession

  /// Reads the token from standard input.
  package let readToken: @Sendable () -> String

  /// Waits until somebody presses Enter; false if nobody will.
  package let awaitEnter: @Sendable () async -> Bool

  package let now: @Sendable () -> Date

  /// Waits, or throws if the task is cancelled.
  package let sleep: @Sendable (Duration) async throws -> Void

  package init(
    console: Console,
    terminal: Terminal,
    makeSession: @escaping @Sendable (ConnectionOptions, Deadline) -> any ApiSession,
    readToken: @escaping @Sendable () -> String,
    awaitEnter: @escaping @Sendable () async -> Bool,
    now: @escaping @Sendable () -> Date,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.console = console
    self.terminal = terminal
    self.makeSession = makeSession
    self.readToken = readToken
    self.awaitEnter = awaitEnter
    self.now = now
    self.sleep = sleep
  }
}
