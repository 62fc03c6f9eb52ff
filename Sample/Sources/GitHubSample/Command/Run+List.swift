import FluxCapacitor

/// Selects the user and fetches the repositories. The views show what becomes of the stores.
func list(_ options: ListOptions, environment: CommandEnvironment) async -> ExitCode {
  let output = OutputFormat(options.common, terminal: environment.terminal)
  let isFiltered = options.query.isFiltered
  return await withSession(options.common, environment: environment) { stores in
    let owner: @Sendable () -> String = {
      DisplayText.oneLine(stores.user.selectedUser.value?.login ?? "")
    }
    let (repositories, total) = (
      stores.repository.repositories, stores.repository.repositoryTotalCount
    )
    return [
      ProgressView(stores: stores, environment: environment) {
        let count = repositories.value.count
        if count == 0 { return "Fetching repositories…" }
        return isFiltered
          ? "Fetched \(count) matching repositories…"
          : "Fetched \(count) of \(total.value) repositories…"
      },
      ListView(
        items: repositories,
        isFetching: stores.repository.isRepositoryFetching,
        failure: stores.repository.failure,
        format: RepositoryFormat.list,
        output: output,
        environment: environment,
        title: {
          let count = repositories.value.count
          let more = stores.repository.hasMoreRepositories.value ? "; see --limit and --all" : ""
          return isFiltered
            ? "Showing \(count) matching repositories in @\(owner())\(more)"
            : "Showing \(count) of \(total.value) repositories in @\(owner())\(more)"
        },
        summary: { repositories, width, hasColors in
          let languages = repositories.compactMap(\.primaryLanguage)
          return LanguageBar.line(for: languages, width: width, hasColors: hasColors)
        }
      ),
      OutcomeView(
        isFetching: stores.user.isUserFetching,
        failure: stores.user.failure,
        console: environment.console
      ),
      OutcomeView(
        isFetching: stores.repository.isRepositoryFetching,
        failure: stores.repository.failure,
        console: environment.console,
        count: { (repositories.value.count, isFiltered ? nil : total.value) },
        nothing: {
          guard output.isForPeople, repositories.value.isEmpty else { return nil }
          return isFiltered && total.value > 0
            ? "No repositories in @\(owner()) match." : "@\(owner()) has no repositories."
        }
      ),
    ]
  } operation: { session, stores in
    let users = UserAction(session: session)
    if options.query.login.isEmpty {
      await users.selectViewer()
    } else {
      users.selectUser(login: options.query.login)
    }
    guard let user = stores.user.selectedUser.value else { return }
    var query = options.query
    query.login = user.login
    await RepositoryAction(session: session)
      .fetchRepositories(matching: query, limit: options.limit)
  }
}
