import Foundation

/// The dependencies of views, which are the console, the terminal and the time.
protocol ViewEnvironment: Sendable {
  var console: Console { get }
  var terminal: Terminal { get }
  var now: @Sendable () -> Date { get }

  /// Waits for a duration, and throws if the task is cancelled.
  var sleep: @Sendable (Duration) async throws -> Void { get }
}
