import FluxCapacitor

/// Fetches one repository. The views show what becomes of the store.
func show(_ options: ShowOptions, environment: CommandEnvironment) async -> ExitCode {
  let output = OutputFormat(options.common, terminal: environment.terminal)
  return await withSession(options.common, environment: environment) { stores in
    [
      ProgressView(
        text: Constant(Variable("Fetching the repository…")),
        stores: stores,
        console: environment.console,
        terminal: environment.terminal,
        sleep: environment.sleep
      ),
      RepositoryView(
        stores: stores,
        output: output,
        console: environment.console,
        now: environment.now
      ),
      OutcomeView(stores: stores, console: environment.console),
    ]
  } operation: { session, _ in
    await RepositoryAction(session: session)
      .fetchRepository(owner: options.owner, name: options.name)
  }
}
