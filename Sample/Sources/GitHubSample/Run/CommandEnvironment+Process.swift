import Foundation

extension CommandEnvironment {
  /// The real environment of a command, with the process's streams and variables, the network and
  /// the clock.
  package static var process: CommandEnvironment {
    let variables = ProcessInfo.processInfo.environment
    let terminal = Terminal(
      outputWidth: StandardStreams.outputWidth,
      isOutputTerminal: isatty(STDOUT_FILENO) == 1,
      isErrorTerminal: isatty(STDERR_FILENO) == 1,
      variables: variables
    )
    let console = Console(
      output: .standardOutput,
      errors: .standardError,
      showsActivity: terminal.showsActivity
    )
    console.redact(Endpoint.tokenVariables.compactMap { variables[$0] })
    return CommandEnvironment(
      console: console,
      terminal: terminal,
      makeSession: { options, deadline in
        if options.isDemo { return RecordedApiSession.demo }
        // The states contain the name of the host.
        let hosts = variables.filter { !Endpoint.tokenVariables.contains($0.key) }
        return LiveApiSession(
          options: options,
          variables: variables.merging(hosts.mapValues(console.redacted)) { $1 },
          deadline: deadline
        )
      },
      readToken: {
        TerminalEcho.hidden(whenHidden: { console.report("Token:") }) {
          StandardStreams.readLine()
        }
      },
      awaitEnter: StandardStreams.awaitEnter,
      now: { Date() },
      // On Linux, the folder for caches is $XDG_CACHE_HOME or ~/.cache. On Apple's systems, it is
      // ~/Library/Caches.
      cacheFolder: FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?
        .appendingPathComponent("github-repos"),
      sleep: { try await Task.sleep(for: $0) }
    )
  }
}
