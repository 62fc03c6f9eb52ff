import FluxCapacitor
import GitHubSample
import Testing

/// The newest fetching wins.
@Suite(.timeLimit(.minutes(2)))
struct FetchingActionTests {
  /// Searches for users, of which some are held as long as a test wants.
  private struct Search {
    let dispatcher = Dispatcher()
    let action: UserAction
    private let gates: [String: (isHeld: Gate, release: Gate)]

    /// - Parameter heedsCancellation: Whether a request knows, when it is released, that it was
    ///   cancelled.
    init(holding texts: String..., heedsCancellation: Bool = true) {
      let gates = Dictionary(
        uniqueKeysWithValues: texts.map { ($0, (isHeld: Gate(), release: Gate())) }
      )
      self.gates = gates
      let session = HoldingApiSession { request in
        guard let text = (request as? UsersRequest)?.text else { return nil }
        gates[text]?.isHeld.open()
        await gates[text]?.release.pass()
        if heedsCancellation, Task.isCancelled { return nil }
        return Page(items: [GitHub.User(login: text)], totalCount: 1)
      }
      action = UserAction(session: session)
    }

    func run(_ text: String) async {
      await action.searchUsers(matching: text, limit: nil)
    }

    /// Begins one, and returns when it is held.
    func begin(_ text: String) async -> Task<Void, Never> {
      let task = Task { await run(text) }
      await gates[text]?.isHeld.pass()
      return task
    }

    func release(_ text: String) {
      gates[text]?.release.open()
    }
  }

  @Test(arguments: [false, true])
  func onlyTheNewestSearchReachesTheStore(heedsCancellation: Bool) async {
    let search = Search(holding: "old", heedsCancellation: heedsCancellation)
    await withDispatcher(search.dispatcher) {
      let store = UserStore.instantiate()
      let older = await search.begin("old")
      let states = Protected<[String]>([])
      let dust = search.dispatcher.observe(Dispatcher.User.self) { state in
        states.withLock { $0.append("\(state)".prefix { $0 != "[" }.description) }
      }

      await search.run("new")
      search.release("old")
      await older.value

      dust.clean()
      #expect(
        states.withLock { $0 } == [
          "removeAll", "isFetching(true)", "addUsers(", "isFetching(false)",
        ]
      )
      #expect(store.users.value == [GitHub.User(login: "new")])
      #expect(store.total.value == Total(shown: 1, all: 1))
      #expect(!store.isUserFetching.value)
      #expect(store.failure.value == nil)
    }
  }

  @Test func whoCancelsTheTaskEndsTheFetching() async {
    let search = Search(holding: "old")
    await withDispatcher(search.dispatcher) {
      let store = UserStore.instantiate()
      let task = await search.begin("old")

      task.cancel()
      search.release("old")
      await task.value

      expectCancellation(in: store)
    }
  }

  @Test func aResultThatComesAfterTheCancellationIsLost() async {
    let search = Search(holding: "old", heedsCancellation: false)
    await withDispatcher(search.dispatcher) {
      let store = UserStore.instantiate()
      let task = await search.begin("old")

      task.cancel()
      search.release("old")
      await task.value

      #expect(store.users.value == [])
      expectCancellation(in: store)
    }
  }

  @Test func whoCancelsAnOlderTaskLeavesTheNewestAlone() async {
    let search = Search(holding: "old", "new")
    await withDispatcher(search.dispatcher) {
      let store = UserStore.instantiate()
      let older = await search.begin("old")
      let newer = await search.begin("new")

      older.cancel()
      search.release("old")
      await older.value
      let isFetching = store.isUserFetching.value
      search.release("new")
      await newer.value

      #expect(isFetching)
      #expect(store.users.value == [GitHub.User(login: "new")])
      #expect(store.failure.value == nil)
    }
  }

  @Test func aSearchThatIsCancelledBeforeItBeginsEndsTheOneBefore() async {
    let search = Search(holding: "old")
    await withDispatcher(search.dispatcher) {
      let store = UserStore.instantiate()
      let older = await search.begin("old")

      await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await search.run("new")
      }.value

      expectCancellation(in: store)
      search.release("old")
      await older.value
    }
  }

  private func expectCancellation(
    in store: UserStore,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(!store.isUserFetching.value, sourceLocation: sourceLocation)
    #expect(
      store.failure.value == ApiError(.cancelled, at: "mock"),
      sourceLocation: sourceLocation
    )
  }

  @Test func ofTwoThatBeginAtOnceOneWins() async {
    let session = HoldingApiSession { request in
      (request as? RepositoriesRequest).map { Page.of($0.query.login, total: 1) }
    }
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let action = RepositoryAction(session: session)
      var mistakes: [String] = []

      for round in 0..<20_000 {
        await withTaskGroup { group in
          for login in ["a", "b"] {
            group.addTask {
              await action.fetchRepositories(matching: RepositoryQuery(login: login), limit: nil)
            }
          }
        }
        let repositories = store.repositories.value
        if ![[.named("a")], [.named("b")]].contains(repositories)
          || store.isRepositoryFetching.value || store.failure.value != nil
        {
          mistakes.append("\(round): \(repositories), \(String(describing: store.failure.value))")
        }
      }

      #expect(mistakes.isEmpty)
    }
  }
}
