import FluxCapacitor
import Foundation

/// Parses and runs a command line, and returns the exit code.
///
/// The tokens are redacted before the command is parsed, so no state contains a token that the user
/// has typed in the place of a login or a host.
package func run(
  arguments: some Sequence<String>,
  environment: CommandEnvironment
) async -> ExitCode {
  var environment = environment
  let console = environment.console
  console.redact(Command.tokens(in: Array(arguments)))
  do {
    var command = try Command(arguments: arguments, redacted: console.redacted)
    if command.readsToken {
      // The arguments can contain this token too.
      let token = environment.readToken()
      environment.readToken = { token }
      console.redact([token])
      command = try Command(arguments: arguments, redacted: console.redacted)
    }
    return await run(command, environment: environment)
  } catch {
    console.report("github-repos: \(error.message.sanitized).")
    let topic = Command.Topic(of: arguments)
    console.report("See github-repos\(topic == .list ? "" : " \(topic)") --help.")
    return .usage
  }
}

/// Runs a parsed command, and returns the exit code.
package func run(_ command: Command, environment: CommandEnvironment) async -> ExitCode {
  let console = environment.console
  var exitCode = ExitCode.success
  do throws(CommandFailure) {
    switch command {
    case .help(let topic): console.print(topic.help)
    case .version: console.print("github-repos \(Command.versionNumber)")
    case .list(let options):
      exitCode =
        options.isCached
        ? try listFromCache(options, environment: environment)
        : try await list(options, environment: environment)
    case .search(let options): exitCode = try await search(options, environment: environment)
    case .show(let options): exitCode = try await show(options, environment: environment)
    }
  } catch {
    console.report("github-repos: \(error.message)")
    exitCode = error.exitCode
  }
  if let failure = console.outputFailure {
    if (failure as? POSIXError)?.code == .EPIPE { return .closedPipe }
    let cause = failure.localizedDescription.sanitizedClause
    console.report("github-repos: The output could not be written: \(cause).")
    exitCode = .failure
  }
  return exitCode
}

/// Creates a session and the stores, runs an operation with the session and the stores, and returns
/// the exit code.
///
/// - Parameter makeViews: A closure that creates the views. The views observe the stores until the
///   operation ends.
func withSession(
  _ options: CommonOptions,
  environment: CommandEnvironment,
  makeViews: (Stores) -> [any Sendable],
  operation: @escaping @Sendable (any ApiSession, Stores) async -> Void
) async throws(CommandFailure) -> ExitCode {
  let console = environment.console
  var connection = options.connection
  if options.readsToken { connection.token = try readToken(from: environment) }
  let recording = try FlowRecording(options)
  let stores = Stores()
  let views = makeViews(stores)
  // If writing to the output fails, the console cancels the work.
  let work = Effects()
  console.whenOutputFails { work.cancel() }
  if let address = recording.address {
    // The address ends its line, because terminals add a period to the link.
    console.report("Watch the flow at \(address)")
    console.report("Press Enter to fetch again, or Ctrl-C to quit.")
  }
  var isWanted = true
  while isWanted {
    let session = makeSession(connection, environment: environment)
    await work.perform { _ in await operation(session, stores) }
    isWanted = recording.address != nil && console.outputFailure == nil
    if isWanted { isWanted = await environment.awaitEnter() }
  }
  try recording.finish(title: "github-repos")
  return withExtendedLifetime(views) { ExitCode(stores.failure.value) }
}

/// Creates a session that retries failed requests until the deadline.
private func makeSession(
  _ connection: ConnectionOptions,
  environment: CommandEnvironment
) -> any ApiSession {
  // The time that the console spends waiting for a slow reader of the output doesn't count.
  let console = environment.console
  let deadline = Deadline(after: connection.timeout ?? .seconds(300)) { console.timeSpentWriting }
  return RetryingApiSession(
    environment.makeSession(connection, deadline),
    deadline: deadline,
    sleep: environment.sleep,
    willWait: ConnectionAction().beginWaiting
  )
}

private func readToken(from environment: CommandEnvironment) throws(CommandFailure) -> AccessToken {
  if let token = AccessToken(environment.readToken()) { return token }
  throw CommandFailure(
    message: """
      Standard input contains no token, or a token with an invalid character, such as a space. \
      Copy the token again, without other text.
      """,
    exitCode: .unauthorized
  )
}
