import FluxCapacitor
import GitHubSample
import Testing

struct RepositoryActionTests {
  private let mona = RepositoryQuery(login: "mona")

  @Test func everyPageReachesTheObserversOfTheStore() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let seen = Protected<[[String]]>([])
      let session = MockApiSession(
        .page("a", "b", total: 3, next: "1"),
        .page("c", total: 3)
      )
      let dust = store.repositories.observe { repositories in
        seen.withLock { $0.append(repositories.map(\.nameWithOwner)) }
      }

      await RepositoryAction(session: session).fetchRepositories(matching: mona, limit: nil)

      dust.clean()
      let expected = [[], [], ["mona/a", "mona/b"], ["mona/a", "mona/b", "mona/c"]]
      #expect(seen.withLock { $0 } == expected)
      #expect(store.total.value == Total(shown: 3, all: 3))
      #expect(store.failure.value == nil)
    }
  }

  @Test func fetchingIsTrueFromBeginningToEnd() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let seen = Protected<[Bool]>([])
      let session = MockApiSession(.page("a", total: 1))
      let dust = store.isRepositoryFetching.observe { value in seen.withLock { $0.append(value) } }

      await RepositoryAction(session: session).fetchRepositories(matching: mona, limit: nil)

      dust.clean()
      #expect(seen.withLock { $0 } == [false, true, false])
    }
  }

  @Test func aFailureKeepsThePagesBeforeIt() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let session = MockApiSession(
        .page("a", total: 2, next: "1"),
        .failure(.notJSON(status: 200))
      )

      await RepositoryAction(session: session).fetchRepositories(matching: mona, limit: nil)

      #expect(store.repositories.value == [.named("a")])
      #expect(store.failure.value == ApiError(.notJSON(status: 200), at: "mock"))
      #expect(!store.isRepositoryFetching.value)
    }
  }

  @Test func fetchingAgainBeginsAnew() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let action = RepositoryAction(
        session: MockApiSession(
          .page("a", total: 2, next: "1"),
          .failure(.cancelled),
          .page("b", total: 1)
        )
      )

      await action.fetchRepositories(matching: mona, limit: nil)
      await action.fetchRepositories(matching: mona, limit: nil)

      #expect(store.repositories.value == [.named("b")])
      #expect(store.failure.value == nil)
    }
  }

  @Test func aQueryThatTakesTooLongIsAskedForLess() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let session = MockApiSession(
        .failure(.gatewayTimedOut(status: 502)),
        .failure(.gatewayTimedOut(status: 504)),
        .page("a", total: 2, next: "1"),
        .page("b", total: 2)
      )

      await RepositoryAction(session: session).fetchRepositories(matching: mona, limit: nil)

      #expect(session.requests.map(\.first) == [100, 50, 25, 25])
      #expect(store.repositories.value == [.named("a"), .named("b")])
      #expect(store.failure.value == nil)
    }
  }

  @Test func aLimitSaysWhetherThereIsMore() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let session = MockApiSession(.page("a", "b", total: 3, next: "1"), .page("a", total: 1))

      await RepositoryAction(session: session).fetchRepositories(matching: mona, limit: 2)
      let hasMore = store.total.value?.hasMore
      await RepositoryAction(session: session).fetchRepositories(matching: mona, limit: 2)

      #expect(hasMore == true)
      #expect(store.total.value == Total(shown: 1, all: 1))
    }
  }

  @Test func whatDoesNotMatchIsLeftOut() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      var swift = GitHub.Repository.named("swift")
      swift.primaryLanguage = "Swift"
      var query = mona
      query.language = "sWIFT"
      let page = Page(items: [.named("none"), swift], totalCount: 2)

      await RepositoryAction(session: MockApiSession(.success(page)))
        .fetchRepositories(matching: query, limit: nil)

      #expect(store.repositories.value == [swift])
    }
  }

  @Test func oneRepositoryIsSelected() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let repository = GitHub.Repository.named("a")
      let session = MockApiSession(.success(repository), .failure(.unknownRepository("mona/b")))

      await RepositoryAction(session: session).fetchRepository(owner: "mona", name: "a")
      let selected = store.selectedRepository.value
      await RepositoryAction(session: session).fetchRepository(owner: "mona", name: "b")

      #expect(selected == repository)
      #expect(store.selectedRepository.value == nil)
      #expect(store.failure.value == ApiError(.unknownRepository("mona/b"), at: "mock"))
    }
  }

  @Test func pagesThatLeadNowhereAreAFailure() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let session = MockApiSession(
        .page("a", total: 9, next: "1"),
        .page("b", total: 9, next: "1")
      )

      await RepositoryAction(session: session).fetchRepositories(matching: mona, limit: nil)

      #expect(store.repositories.value == [.named("a"), .named("b")])
      #expect(store.failure.value == ApiError(.pagesWithoutEnd, at: "mock"))
    }
  }
}
