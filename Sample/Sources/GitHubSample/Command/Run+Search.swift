import FluxCapacitor

/// Searches for users. The views show what becomes of the store.
func search(_ options: SearchOptions, environment: CommandEnvironment) async -> ExitCode {
  let output = OutputFormat(options.common, terminal: environment.terminal)
  let text = DisplayText.oneLine(options.text)
  return await withSession(options.common, environment: environment) { stores in
    let (users, total) = (stores.user.users, stores.user.userTotalCount)
    return [
      ProgressView(stores: stores, environment: environment) {
        let count = users.value.count
        return count == 0 ? "Searching…" : "Found \(count) of \(total.value) users…"
      },
      ListView(
        items: users,
        isFetching: stores.user.isUserFetching,
        failure: stores.user.failure,
        format: UserFormat.list,
        output: output,
        environment: environment,
        title: {
          let count = users.value.count
          let isLimited = options.limit.map { count >= $0 && count < total.value } ?? false
          let more = isLimited ? "; see --limit and --all" : ""
          return "Showing \(count) of \(total.value) users matching '\(text)'\(more)"
        },
        summary: { _, _, _ in nil }
      ),
      OutcomeView(
        isFetching: stores.user.isUserFetching,
        failure: stores.user.failure,
        console: environment.console,
        count: { (users.value.count, total.value) },
        nothing: {
          output.isForPeople && users.value.isEmpty ? "No users match '\(text)'." : nil
        }
      ),
    ]
  } operation: { session, _ in
    await UserAction(session: session).searchUsers(matching: options.text, limit: options.limit)
  }
}
