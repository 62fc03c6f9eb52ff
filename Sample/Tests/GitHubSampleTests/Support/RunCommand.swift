import FluxCapacitor
import FluxCapacitorTesting
import Foundation
import GitHubSample

/// The texts and the exit code of a command.
struct Outcome {
  let output: String
  let errors: String
  let exitCode: ExitCode
}

/// Runs a command line, whose arguments are separated by spaces, in an environment for tests.
///
/// By default, the environment has no terminal, and no folder for the last list. The time is fixed,
/// and pauses end immediately. Each command has its own stores, like the process of a command.
@discardableResult
func runCommand(
  _ line: String,
  session: any ApiSession = MockApiSession(),
  recorder: ConsoleRecorder = ConsoleRecorder(),
  terminal: Terminal = Terminal(width: nil),
  input: String = "",
  now: Date = .start,
  cacheFolder: URL? = nil,
  pauses: Pauses = Pauses(),
  awaitEnter: @escaping @Sendable () async -> Bool = { false }
) async -> Outcome {
  let environment = CommandEnvironment(
    console: recorder.console,
    terminal: terminal,
    makeSession: { options, _ in options.isDemo ? RecordedApiSession.demo : session },
    readToken: { input },
    awaitEnter: awaitEnter,
    now: { now },
    cacheFolder: cacheFolder,
    sleep: { try await pauses.pause(for: $0) }
  )
  let exitCode = await withDispatcher(Dispatcher()) {
    await run(arguments: line.split(separator: " ").map(String.init), environment: environment)
  }
  return Outcome(output: recorder.output, errors: recorder.errors, exitCode: exitCode)
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

extension Date {
  /// The time at which commands run, unless a test sets another time.
  static let start = Date(timeIntervalSince1970: 1_700_000_000)

  /// The time at which the demo printed the text in the README.
  static let ofTheReadme = Date(timeIntervalSince1970: 1_767_225_600)
}

extension Terminal {
  /// A terminal that has neither colors nor a spinner.
  static let plain = Terminal(width: 80)
}
