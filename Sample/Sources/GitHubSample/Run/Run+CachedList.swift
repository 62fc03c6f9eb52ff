import FluxCapacitor
import FluxCapacitorPersistence

/// Runs the `list` command with the option `--cached`, which shows the last list at once.
///
/// The store is restored from a file, so the command needs no session, no action and no network.
func listFromCache(
  _ options: ListOptions,
  environment: CommandEnvironment
) throws(CommandFailure) -> ExitCode {
  let list = try cachedList(of: options.query.login, environment: environment)
  let shown = Array(list.repositories.prefix(options.limit ?? .max))
  let hasMore = list.total.hasMore || shown.count < list.repositories.count
  var fetch = Fetch<GitHub.Repository>()
  fetch.reduce(with: .received(shown, totalCount: list.total.all, hasMore: hasMore))
  var options = options
  options.query = list.query
  let age = RelativeTime.text(for: list.date, now: environment.now())
  let views = listViews(
    of: Constant(Variable(fetch)),
    text: Constant(Variable(options.text(owner: list.query.login, age: age))),
    format: RepositoryFormat.list,
    stores: Stores(),
    options: options.common,
    environment: environment
  )
  return withExtendedLifetime(views) { .success }
}

/// Returns the last list. This function throws if the list belongs to another owner.
///
/// - Parameter login: The owner's login, or an empty string for any owner.
private func cachedList(
  of login: String,
  environment: CommandEnvironment
) throws(CommandFailure) -> FetchedList {
  let list: FetchedList?
  do throws(KeeperFailure) {
    list = try environment.cacheFolder.map(ListCache.init)?.list()
  } catch {
    let reason = error.failureReason ?? "The last list can't be read."
    throw CommandFailure(message: "\(reason) Omit --cached to fetch a list.".sanitized)
  }
  guard let list else {
    throw CommandFailure(message: "No list has been saved yet. Omit --cached to fetch a list.")
  }
  guard login.isEmpty || login.lowercased() == list.query.login.lowercased() else {
    let owners = "@\(list.query.login), not to @\(login)".sanitized
    throw CommandFailure(
      message: "The last list belongs to \(owners). Omit --cached to fetch a list."
    )
  }
  return list
}

/// Saves the fetched list for `--cached`, unless the fetch has failed.
func saveList(
  matching query: RepositoryQuery,
  from stores: Stores,
  environment: CommandEnvironment
) async {
  let fetch = stores.repository.fetch.value
  guard
    let folder = environment.cacheFolder,
    stores.failure.value == nil, let total = fetch.total
  else { return }
  let list = FetchedList(
    query: query,
    repositories: fetch.items,
    total: total,
    date: environment.now()
  )
  // The user has already received the list. So a failure, such as a read-only folder, is ignored.
  try? await ListCache(folder: folder).save(list)
}
