import FluxCapacitor

/// Runs the `list` command, which selects a user, fetches the user's repositories, and shows them.
func list(
  _ options: ListOptions,
  environment: CommandEnvironment
) async throws(CommandFailure) -> ExitCode {
  let output = OutputFormat(options.common, terminal: environment.terminal)
  let isFiltered = options.query.isFiltered
  return try await withSession(options.common, environment: environment) { stores in
    let total = stores.repository.total
    let owner = stores.user.selectedUser.map { $0?.login.sanitized ?? "" }
    let count: @Sendable (Total) -> String = {
      isFiltered ? "\($0.shown) matching" : "\($0.shown) of \($0.all)"
    }
    return [
      ProgressView(
        text: total.map { total in
          guard let total, total.shown > 0 else { return "Fetching repositories…" }
          return "Fetched \(count(total)) repositories…"
        },
        stores: stores,
        environment: environment
      ),
      ListView(
        items: stores.repository.repositories,
        title: Constant.combine(total, owner).map { total, owner in
          guard let total else { return nil }
          let more = total.hasMore ? "; see --limit and --all" : ""
          return "Showing \(count(total)) repositories in @\(owner)\(more)"
        },
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
        isFiltered: isFiltered,
        nothing: Constant.combine(total, owner).map { total, owner in
          guard output.isForPeople, let total, total.shown == 0 else { return nil }
          return isFiltered && total.all > 0
            ? "No repositories in @\(owner) match." : "@\(owner) has no repositories."
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
