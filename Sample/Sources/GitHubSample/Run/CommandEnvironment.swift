import Foundation

/// The dependencies of a command, such as the console, the session and the time. Tests replace
/// these dependencies.
package struct CommandEnvironment: ViewEnvironment {
  package let console: Console
  package let terminal: Terminal

  /// Creates a session for the given options and deadline. The session's requests fail at the
  /// deadline.
  package let makeSession: @Sendable (ConnectionOptions, Deadline) -> any ApiSession

  /// Reads the token from standard input.
  package var readToken: @Sendable () -> String

  /// Waits for the Enter key, and returns whether to fetch again.
  package let awaitEnter: @Sendable () async -> Bool

  package let now: @Sendable () -> Date

  /// The folder for the last list, or nil to save no list.
  package let cacheFolder: URL?

  /// Waits for a duration. This closure throws if the task is cancelled.
  package let sleep: @Sendable (Duration) async throws -> Void

  package init(
    console: Console,
    terminal: Terminal,
    makeSession: @escaping @Sendable (ConnectionOptions, Deadline) -> any ApiSession,
    readToken: @escaping @Sendable () -> String,
    awaitEnter: @escaping @Sendable () async -> Bool,
    now: @escaping @Sendable () -> Date,
    cacheFolder: URL?,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.console = console
    self.terminal = terminal
    self.makeSession = makeSession
    self.readToken = readToken
    self.awaitEnter = awaitEnter
    self.now = now
    self.cacheFolder = cacheFolder
    self.sleep = sleep
  }
}
