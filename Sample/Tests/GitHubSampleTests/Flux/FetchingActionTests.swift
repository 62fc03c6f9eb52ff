import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import GitHubSample
import Testing

/// Tests that the newest fetch supersedes older fetches.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct FetchingActionTests {
  private let store = UserStore.instantiate()
  private let gate = Gate()

  @Test func cancellingAnOlderSearchDoesNotAffectTheNewestSearch() async {
    let newerGate = Gate()
    let action = UserAction(
      session: MockApiSession(
        .held(gate, then: .users("old", total: 1)),
        .held(newerGate, then: .users("new", total: 1))
      )
    )
    let older = Task { await action.searchUsers(matching: "old", limit: nil) }
    await gate.reached()
    let newer = Task { await action.searchUsers(matching: "new", limit: nil) }
    await newerGate.reached()

    older.cancel()
    gate.open()
    await older.value
    let isFetching = store.fetch.value.isRunning
    newerGate.open()
    await newer.value

    #expect(isFetching)
    #expect(store.fetch.value.items == [GitHub.User(login: "new")])
    #expect(store.fetch.value.failure == nil)
  }

  @Test func searchFromACancelledTaskFailsAndSupersedesTheOlderSearch() async {
    let session = MockApiSession(
      .held(gate, then: .users("old", total: 1)),
      .users("new", total: 1)
    )
    let action = UserAction(session: session)
    let older = Task { await action.searchUsers(matching: "old", limit: nil) }
    await gate.reached()

    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await action.searchUsers(matching: "new", limit: nil)
    }.value

    #expect(!store.fetch.value.isRunning)
    #expect(store.fetch.value.failure == ApiError(.cancelled, at: "mock"))
    gate.open()
    await older.value
  }

  @Test func storeReceivesTheResultOfExactlyOneOfTwoConcurrentFetches() async throws {
    let repositories = RepositoryStore.instantiate()
    let mona = RepositoryQuery(login: "mona")

    for round in 0..<stress(200_000) {
      let session = MockApiSession(.page("a", total: 1), .page("b", total: 1))
      let action = RepositoryAction(session: session)
      async let one: Void = action.fetchRepositories(matching: mona, limit: nil)
      async let other: Void = action.fetchRepositories(matching: mona, limit: nil)
      _ = await (one, other)

      let winner = repositories.fetch.value.items
      try #require([[.named("a")], [.named("b")]].contains(winner), "round \(round)")
      try #require(!repositories.fetch.value.isRunning, "round \(round)")
      try #require(repositories.fetch.value.failure == nil, "round \(round)")
    }
  }
}
