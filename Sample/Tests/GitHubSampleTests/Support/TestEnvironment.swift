import FluxCapacitorTesting
import Foundation
import GitHubSample

extension CommandEnvironment {
  /// An environment for tests: a session of their own, no terminal unless told otherwise, a fixed
  /// time, and pauses that are over at once.
  static func test(
    _ session: any ApiSession,
    recorder: ConsoleRecorder,
    terminal: Terminal = Terminal(width: nil),
    input: String = "",
    now: Date = Date(timeIntervalSince1970: 1_700_000_000),
    pauses: Pauses = Pauses(),
    awaitEnter: @escaping @Sendable () async -> Bool = { false }
  ) -> CommandEnvironment {
    CommandEnvironment(
      console: recorder.console,
      terminal: terminal,
      makeSession: { options, _ in options.isDemo ? RecordedApiSession.demo : session },
      readToken: { input },
      awaitEnter: awaitEnter,
      now: { now },
      sleep: { try await pauses.pause(for: $0) }
    )
  }
}

/// Notes how long somebody would have waited.
final class Pauses: Sendable {
  /// The clock of a spinner, which stands unless a test sets it forward.
  let spinnerClock = ManualClock()
  private let noted = Protected<[Duration]>([])

  var durations: [Duration] { noted.withLock { $0 } }

  /// Returns at once; only a spinner, which waits for a tenth of a second, does so by its clock.
  func pause(for duration: Duration) async throws {
    if duration == .milliseconds(100) { return try await spinnerClock.sleep(for: duration) }
    noted.withLock { $0.append(duration) }
  }
}
