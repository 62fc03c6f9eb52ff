import FluxCapacitorTesting
import Foundation
import GitHubSample

extension CommandEnvironment {
  /// An environment for tests: the given session, by default no terminal, a fixed time, and pauses
  /// that end immediately.
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

/// Records the pauses instead of waiting.
final class Pauses: Sendable {
  /// The clock of the spinner, which stands still unless a test advances it.
  let spinnerClock = ManualClock()
  private let noted = Protected<[Duration]>([])

  var durations: [Duration] { noted.withLock { $0 } }

  /// Returns immediately, except for the spinner's pauses of a tenth of a second, which use its
  /// clock.
  func pause(for duration: Duration) async throws {
    if duration == .milliseconds(100) { return try await spinnerClock.sleep(for: duration) }
    noted.withLock { $0.append(duration) }
  }
}
