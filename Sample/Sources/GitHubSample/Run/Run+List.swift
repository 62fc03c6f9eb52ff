import FluxCapacitor

/// Runs the `list` command, which selects a user, fetches the user's repositories, and shows them.
func list(
  _ options: ListOptions,
  environment: CommandEnvironment
) async throws(CommandFailure) -> ExitCode {
  let isFiltered = options.query.isFiltered
  return try await withSession(options.common, environment: environment) { stores in
    let fetch = stores.repository.fetch
    let total = fetch.map(\.total).removeDuplicates()
    let progress = ProgressView(
      text: total.map { total in
        guard let total, total.shown > 0 else { return "Fetching repositories…" }
        return "Fetched \(total.inWords(isFiltered: isFiltered)) repositories…"
      },
      stores: stores,
      environment: environment
    )
    let text = stores.user.selectedUser
      .map { RepositoryListText(owner: $0?.login ?? "", isFiltered: isFiltered) }
    return [progress]
      + listViews(
        of: fetch.map(\.items),
        total: total,
        text: text,
        stores: stores,
        options: options.common,
        environment: environment
      )
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
    // The recordings aren't the user's repositories, so the demo must not replace the last list.
    guard !options.common.connection.isDemo else { return }
    await saveList(matching: query, from: stores, environment: environment)
  }
}

/// Creates the views that show a list of repositories and its outcome.
func listViews(
  of repositories: Constant<[GitHub.Repository]>,
  total: Constant<Total?>,
  text: Constant<RepositoryListText>,
  stores: Stores,
  options: CommonOptions,
  environment: CommandEnvironment
) -> [any Sendable] {
  let output = OutputFormat(options, terminal: environment.terminal)
  return [
    ListView(
      items: repositories,
      title: Constant.combine(total, text).map { total, text in total.map(text.title) },
      stores: stores,
      format: RepositoryFormat.list,
      output: output,
      environment: environment,
      summary: { repositories, width, hasColors in
        let languages = repositories.compactMap(\.primaryLanguage)
        return LanguageBar.line(for: languages, width: width, hasColors: hasColors)
      }
    ),
    OutcomeView(
      stores: stores,
      console: environment.console,
      total: total,
      isFiltered: text.value.isFiltered,
      nothing: Constant.combine(total, text).map { total, text in
        guard output.isForPeople, let total, total.shown == 0 else { return nil }
        return text.nothing(for: total)
      }
    ),
  ]
}
