import FluxCapacitor

/// Runs a command line, and says how it ended.
package func run(
  arguments: some Sequence<String>,
  environment: CommandEnvironment
) async -> ExitCode {
  do {
    return await run(try Command(arguments: arguments), environment: environment)
  } catch {
    environment.console.report("github-repos: \(DisplayText.oneLine(error.message)).")
    environment.console.report(Command.usage)
    return .usage
  }
}

/// Runs a command, and says how it ended.
package func run(_ command: Command, environment: CommandEnvironment) async -> ExitCode {
  var exitCode: ExitCode
  switch command {
  case .help:
    environment.console.print(Command.helpText)
    exitCode = .success
  case .listRepositories(let options):
    exitCode = await listRepositories(options, environment: environment)
  }
  if let failure = environment.console.outputFailure {
    let reason = DisplayText.clause(failure)
    environment.console.report("github-repos: The output could not be written: \(reason).")
    exitCode = .failure
  }
  return exitCode
}

/// Selects the user and fetches the repositories. The views show what becomes of the stores.
private func listRepositories(
  _ options: ListOptions,
  environment: CommandEnvironment
) async -> ExitCode {
  let userStore = UserStore.instantiate()
  let repositoryStore = RepositoryStore.instantiate()
  let console = environment.console
  let views: [any Sendable] = [
    RepositoryTableView(store: repositoryStore, console: console),
    ProgressView(userStore: userStore, repositoryStore: repositoryStore, console: console),
    OutcomeView(userStore: userStore, repositoryStore: repositoryStore, console: console),
  ]
  let session = options.isDemo ? environment.demoSession : environment.session

  UserAction().selectUser(login: options.login)
  if let user = userStore.selectedUser.value {
    await RepositoryAction(session: session).fetchRepositories(of: user, limit: options.limit)
  }
  return withExtendedLifetime(views) { repositoryStore.failure.value?.exitCode ?? .success }
}
