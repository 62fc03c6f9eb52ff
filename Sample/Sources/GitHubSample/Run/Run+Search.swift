import FluxCapacitor

/// Runs the `search` command, which searches for users and shows them.
func search(
  _ options: SearchOptions,
  environment: CommandEnvironment
) async throws(CommandFailure) -> ExitCode {
  let output = OutputFormat(options.common, terminal: environment.terminal)
  let text = options.text.sanitized
  return try await withSession(options.common, environment: environment) { stores in
    let total = stores.user.fetch.map(\.total).removeDuplicates()
    return [
      ProgressView(
        text: total.map { total in
          guard let total, total.shown > 0 else { return "Searching…" }
          return "Found \(total.shown) of \(total.all) users…"
        },
        stores: stores,
        environment: environment
      ),
      ListView(
        items: stores.user.fetch.map(\.items),
        title: total.map { total in
          guard let total else { return nil }
          let isLimited = options.limit.map { total.shown >= $0 && total.hasMore } ?? false
          let more = isLimited ? "; see --limit and --all" : ""
          return "Showing \(total.shown) of \(total.all) users matching '\(text)'\(more)"
        },
        stores: stores,
        format: UserFormat.list,
        output: output,
        environment: environment
      ),
      OutcomeView(
        stores: stores,
        console: environment.console,
        total: total,
        nothing: total.map {
          output.isForPeople && $0?.shown == 0 ? "No users match '\(text)'." : nil
        }
      ),
    ]
  } operation: { session, _ in
    await UserAction(session: session).searchUsers(matching: options.text, limit: options.limit)
  }
}
