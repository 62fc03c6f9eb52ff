import Foundation

extension CommandEnvironment {
  /// The process's own streams and variables, and the network.
  package static var process: CommandEnvironment {
    CommandEnvironment(
      session: LiveApiSession(variables: ProcessInfo.processInfo.environment),
      demoSession: RecordedApiSession.demo,
      console: Console(
        output: .standardOutput,
        errors: .standardError,
        isInteractive: isatty(2) == 1
      )
    )
  }
}
