import FluxCapacitor
import FluxCapacitorTesting
import GitHubSample
import Testing

@Suite(.isolatedDispatcher)
struct RepositoryActionTests {
  // Swift Testing creates an instance of the suite for each test, so tests don't share the store or
  // the gate.
  private let mona = RepositoryQuery(login: "mona")
  private let store = RepositoryStore.instantiate()
  private let gate = Gate()

  @Test func successfulFetchInvokesTheStateThatAddsTheRepositories() async {
    let session = MockApiSession(.page("a", total: 1))

    await expectStates {
      Dispatcher.Repository.fetch(.began)
      Dispatcher.Repository.fetch(.received([.named("a")], totalCount: 1, hasMore: false))
      Dispatcher.Repository.fetch(.ended)
    } when: {
      await RepositoryAction(session: session).fetchRepositories(matching: mona, limit: nil)
    }
  }

  @Test func failedFetchInvokesAStateWithTheError() async {
    let session = MockApiSession(.failure(.notJSON(status: 200)))

    await expectStates {
      Dispatcher.Repository.fetch(.began)
      Dispatcher.Repository.fetch(.failed(ApiError(.notJSON(status: 200), at: "mock")))
      Dispatcher.Repository.fetch(.ended)
    } when: {
      await RepositoryAction(session: session).fetchRepositories(matching: mona, limit: nil)
    }
  }

  @Test func fetchInvokesAStateForEachPageInOrder() async {
    let session = MockApiSession(.page("a", total: 2, next: "1"), .page("b", total: 2))

    await expectStates {
      Dispatcher.Repository.fetch(.began)
      Dispatcher.Repository.fetch(.received([.named("a")], totalCount: 2, hasMore: true))
      Dispatcher.Repository.fetch(.received([.named("b")], totalCount: 2, hasMore: false))
      Dispatcher.Repository.fetch(.ended)
    } when: {
      await RepositoryAction(session: session).fetchRepositories(matching: mona, limit: nil)
    }
    #expect(session.requests == [.ofMona(first: 100), .ofMona(first: 100, after: "1")])
  }

  @Test(arguments: [false, true])
  func cancelledFetchInvokesAStateWithACancellationError(heedsCancellation: Bool) async {
    let action = RepositoryAction(
      session: MockApiSession(
        .held(gate, heedsCancellation: heedsCancellation, then: .page("a", total: 1))
      )
    )

    await expectStates {
      Dispatcher.Repository.fetch(.began)
      Dispatcher.Repository.fetch(.failed(ApiError(.cancelled, at: "mock")))
      Dispatcher.Repository.fetch(.ended)
    } when: {
      let task = Task { await action.fetchRepositories(matching: mona, limit: nil) }
      await gate.reached()
      task.cancel()
      gate.open()
      await task.value
    }
  }

  @Test(arguments: [false, true])
  func newestFetchSupersedesTheOlderFetch(heedsCancellation: Bool) async {
    let session = MockApiSession(
      .held(gate, heedsCancellation: heedsCancellation, then: .page("old", total: 1)),
      .page("new", total: 1)
    )
    let action = RepositoryAction(session: session)
    let older = Task { await action.fetchRepositories(matching: mona, limit: nil) }
    await gate.reached()
    await expectStates {
      Dispatcher.Repository.fetch(.began)
      Dispatcher.Repository.fetch(.received([.named("new")], totalCount: 1, hasMore: false))
      Dispatcher.Repository.fetch(.ended)
    } when: {
      await action.fetchRepositories(matching: mona, limit: nil)
      gate.open()
      await older.value
    }
  }

  @Test func fetchHalvesThePageSizeAfterAGatewayTimeout() async {
    let session = MockApiSession(
      .failure(.gatewayTimedOut(status: 502)),
      .failure(.gatewayTimedOut(status: 504)),
      .page("a", total: 2, next: "1"),
      .page("b", total: 2)
    )

    await RepositoryAction(session: session).fetchRepositories(matching: mona, limit: nil)

    #expect(session.requests.map(\.first) == [100, 50, 25, 25])
    #expect(store.fetch.value.items == [.named("a"), .named("b")])
    #expect(store.fetch.value.failure == nil)
  }

  @Test func fetchOmitsRepositoriesThatDoNotMatchTheLanguageFilter() async {
    var swift = GitHub.Repository.named("swift")
    swift.primaryLanguage = "Swift"
    var query = mona
    query.language = "sWIFT"
    let page = Page(items: [.named("none"), swift], totalCount: 2)

    await RepositoryAction(session: MockApiSession(.success(page)))
      .fetchRepositories(matching: query, limit: nil)

    #expect(store.fetch.value.items == [swift])
  }

  @Test func fetchedRepositoryStaysSelectedUntilTheNextFetch() async {
    let repository = GitHub.Repository.named("a")
    let session = MockApiSession(.success(repository), .failure(.unknownRepository("mona/b")))

    await RepositoryAction(session: session).fetchRepository(owner: "mona", name: "a")
    let selected = store.selectedRepository.value
    await RepositoryAction(session: session).fetchRepository(owner: "mona", name: "b")

    #expect(selected == repository)
    #expect(store.selectedRepository.value == nil)
    #expect(store.fetch.value.failure == ApiError(.unknownRepository("mona/b"), at: "mock"))
  }
}
