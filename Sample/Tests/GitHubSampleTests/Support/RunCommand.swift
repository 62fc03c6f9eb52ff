import GitHubSample

/// Runs a command line in an environment for tests.
func runCommand(
  _ arguments: String...,
  session: any ApiSession = MockApiSession(),
  recorder: ConsoleRecorder,
  terminal: Terminal = Terminal(width: nil),
  input: String = "",
  pauses: Pauses = Pauses(),
  awaitEnter: @escaping @Sendable () async -> Bool = { false }
) async -> ExitCode {
  let environment = CommandEnvironment.test(
    session,
    recorder: recorder,
    terminal: terminal,
    input: input,
    pauses: pauses,
    awaitEnter: awaitEnter
  )
  return await run(arguments: arguments, environment: environment)
}

extension Terminal {
  /// A terminal that has neither colors nor a spinner.
  static let plain = Terminal(width: 80)
}
