import Foundation
import GitHubSample

/// Runs a command line in an environment for tests.
func runCommand(
  _ arguments: String...,
  session: any ApiSession = MockApiSession(),
  recorder: ConsoleRecorder,
  terminal: Terminal = Terminal(width: nil),
  input: String = "",
  now: Date = .start,
  cacheFolder: URL? = nil,
  pauses: Pauses = Pauses(),
  awaitEnter: @escaping @Sendable () async -> Bool = { false }
) async -> ExitCode {
  let environment = CommandEnvironment.test(
    session,
    recorder: recorder,
    terminal: terminal,
    input: input,
    now: now,
    cacheFolder: cacheFolder,
    pauses: pauses,
    awaitEnter: awaitEnter
  )
  return await run(arguments: arguments, environment: environment)
}

extension Date {
  /// The time at which commands run, unless a test sets another time.
  static let start = Date(timeIntervalSince1970: 1_700_000_000)
}

extension Terminal {
  /// A terminal that has neither colors nor a spinner.
  static let plain = Terminal(width: 80)
}
