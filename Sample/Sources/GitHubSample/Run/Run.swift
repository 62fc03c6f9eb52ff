import FluxCapacitor

/// Runs a command line, and says how it ended.
package func run(
  arguments: some Sequence<String>,
  environment: CommandEnvironment
) async -> ExitCode {
  do {
    return await run(try Command(arguments: arguments), environment: environment)
  } catch {
    environment.console.report("github-repos: \(error.message.sanitized).")
    let topic = Command.Topic(of: arguments)
    environment.console.report("See github-repos\(topic == .list ? "" : " \(topic)") --help.")
    return .usage
  }
}

/// Runs a command, and says how it ended.
package func run(_ command: Command, environment: CommandEnvironment) async -> ExitCode {
  let console = environment.console
  var exitCode = ExitCode.success
  switch command {
  case .help(let topic): console.print(topic.help)
  case .version: console.print("github-repos \(Command.versionNumber)")
  case .list(let options): exitCode = await list(options, environment: environment)
  case .search(let options): exitCode = await search(options, environment: environment)
  case .show(let options): exitCode = await show(options, environment: environment)
  }
  if let failure = console.outputFailure {
    console.report(
      "github-repos: The output could not be written: \(failure.sanitizedClause)."
    )
    exitCode = .failure
  }
  return exitCode
}

/// Makes a session, lets actions use it, and answers how the stores say it ended.
///
/// - Parameter makeViews: Makes the views, which show what becomes of the stores meanwhile.
func withSession(
  _ options: CommonOptions,
  environment: CommandEnvironment,
  makeViews: (Stores) -> [any Sendable],
  operation: @escaping @Sendable (any ApiSession, Stores) async -> Void
) async -> ExitCode {
  var connection = options.connection
  if options.readsToken {
    guard let token = AccessToken(environment.readToken()) else {
      environment.console.report(
        """
        github-repos: Standard input holds no token, or one with a character that no token has, \
        such as a space. Copy it again, alone.
        """
      )
      return .unauthorized
    }
    connection.token = token
  }
  let console = environment.console
  let recording: FlowRecording
  do {
    recording = try FlowRecording(options)
  } catch {
    console.report("github-repos: \(error.message)")
    return .failure
  }
  let stores = Stores()
  let views = makeViews(stores)
  // Who reads slowly must not be told that the server is slow.
  let deadline = Deadline(after: connection.timeout ?? .seconds(300)) { console.timeSpentWriting }
  let session = RetryingApiSession(
    environment.makeSession(connection, deadline),
    deadline: deadline,
    sleep: environment.sleep,
    willWait: ConnectionAction().beginWaiting
  )
  if let token = session.token { console.redact(token.secret) }
  // Cancelled if there is nobody left to work for.
  let work = DustBuster()
  console.whenOutputFails { work.clean() }
  await Task(replacing: work) { await operation(session, stores) }.value
  do {
    try recording.finish(title: "github-repos")
  } catch {
    console.report("github-repos: \(error.message)")
    return .failure
  }
  return withExtendedLifetime(views) { ExitCode(stores.failure.value) }
}
