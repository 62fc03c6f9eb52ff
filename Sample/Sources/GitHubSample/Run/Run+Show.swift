import FluxCapacitor

/// Runs the `show` command, which fetches and shows one repository.
func show(
  _ options: ShowOptions,
  environment: CommandEnvironment
) async throws(CommandFailure) -> ExitCode {
  let output = OutputFormat(options.common, terminal: environment.terminal)
  return try await withSession(options.common, environment: environment) { stores in
    [
      ProgressView(
        text: Constant(Variable("Fetching the repository…")),
        stores: stores,
        environment: environment
      ),
      RepositoryView(stores: stores, output: output, environment: environment),
      OutcomeView(stores: stores, console: environment.console),
    ]
  } operation: { session, _ in
    await RepositoryAction(session: session)
      .fetchRepository(owner: options.owner, name: options.name)
  }
}
