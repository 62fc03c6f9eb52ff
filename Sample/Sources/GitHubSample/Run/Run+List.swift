import FluxCapacitor

/// Runs the `list` command, which selects a user, fetches the user's repositories, and shows them.
func list(
  _ options: ListOptions,
  environment: CommandEnvironment
) async throws(CommandFailure) -> ExitCode {
  try await withSession(options.common, environment: environment) { stores in
    listViews(
      of: stores.repository.fetch,
      text: stores.user.selectedUser.map { options.text(owner: $0?.login ?? "") },
      format: RepositoryFormat.list,
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

/// Runs the `search` command, which searches for users and shows them.
func search(
  _ options: SearchOptions,
  environment: CommandEnvironment
) async throws(CommandFailure) -> ExitCode {
  try await withSession(options.common, environment: environment) { stores in
    let scope = "matching '\(options.text.sanitized)'"
    return listViews(
      of: stores.user.fetch,
      text: Constant(Variable(ListText(items: "users", scope: scope, limit: options.limit))),
      format: UserFormat.list,
      stores: stores,
      options: options.common,
      environment: environment
    )
  } operation: { session, _ in
    await UserAction(session: session).searchUsers(matching: options.text, limit: options.limit)
  }
}

extension ListOptions {
  /// Returns the sentences about an owner's repositories.
  func text(owner: String, age: String? = nil) -> ListText {
    ListText(
      items: "repositories",
      scope: "in @\(owner.sanitized)",
      isFiltered: query.isFiltered,
      limit: limit,
      age: age
    )
  }
}

/// Creates the views that show a list, its progress and its outcome.
func listViews<Item>(
  of fetch: Constant<Fetch<Item>>,
  text: Constant<ListText>,
  format: ListFormat<Item>,
  stores: Stores,
  options: CommonOptions,
  environment: CommandEnvironment
) -> [any Sendable] {
  let output = OutputFormat(options, terminal: environment.terminal)
  let total = fetch.map(\.total).removeDuplicates()
  let state = Constant.combine(total, text)
  return [
    ProgressView(
      text: state.map { total, text in text.progress(total) },
      stores: stores,
      environment: environment
    ),
    ListView(
      items: fetch.map(\.items),
      title: state.map { total, text in total.map(text.title) },
      stores: stores,
      format: format,
      output: output,
      environment: environment
    ),
    OutcomeView(
      stores: stores,
      console: environment.console,
      total: total,
      isFiltered: text.value.isFiltered,
      note: state.map { total, text in
        guard let total else { return nil }
        if let gap = text.gap(total) { return gap }
        return output.isForPeople && total.shown == 0 ? text.nothing(total) : nil
      }
    ),
  ]
}
