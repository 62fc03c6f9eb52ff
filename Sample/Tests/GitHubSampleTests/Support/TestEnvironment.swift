import FluxCapacitorTesting
import Foundation
import GitHubSample

extension CommandEnvironment {
  /// Returns an environment for tests, with the given session, a fixed time, and pauses that end
  /// immediately. By default, the environment has no terminal, and no folder for the last list.
  static func test(
    _ session: any ApiSession,
    recorder: ConsoleRecorder,
    terminal: Terminal = Terminal(width: nil),
    input: String = "",
    now: Date = .start,
    cacheFolder: URL? = nil,
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
      cacheFolder: cacheFolder,
      sleep: { try await pauses.pause(for: $0) }
    )
  }
}

/// Records the durations of pauses instead of waiting.
final class Pauses: Sendable {
  /// The clock of the spinner. The clock stands still until a test advances the clock.
  let spinnerClock = ManualClock()
  private let noted = Protected<[Duration]>([])

  var durations: [Duration] { noted.withLock { $0 } }

  /// Records a pause and returns immediately. The spinner's pauses of a tenth of a second wait for
  /// the spinner's clock instead.
  func pause(for duration: Duration) async throws {
    if duration == .milliseconds(100) { return try await spinnerClock.sleep(for: duration) }
    noted.withLock { $0.append(duration) }
  }
}
