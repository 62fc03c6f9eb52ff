import FluxCapacitor
import GitHubSample
import Testing

struct RepositoryActionTests {
  private let mona = GitHub.User(login: "mona")

  @Test func everyPageReachesTheObserversOfTheStore() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let seen = Protected<[[String]]>([])
      let session = MockApiSession(
        .success(.of("a", "b", total: 3, next: "1")),
        .success(.of("c", total: 3))
      )
      let dust = store.repositories.observe { repositories in
        seen.withLock { $0.append(repositories.map(\.nameWithOwner)) }
      }

      await RepositoryAction(session: session).fetchRepositories(of: mona, limit: nil)

      dust.clean()
      let expected = [[], [], ["mona/a", "mona/b"], ["mona/a", "mona/b", "mona/c"]]
      #expect(seen.withLock { $0 } == expected)
      #expect(store.repositoryTotalCount.value == 3)
      #expect(store.failure.value == nil)
    }
  }

  @Test func fetchingIsTrueFromBeginningToEnd() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let seen = Protected<[Bool]>([])
      let session = MockApiSession(.success(.of("a", total: 1)))
      let dust = store.isRepositoryFetching.observe { value in seen.withLock { $0.append(value) } }

      await RepositoryAction(session: session).fetchRepositories(of: mona, limit: nil)

      dust.clean()
      #expect(seen.withLock { $0 } == [false, true, false])
    }
  }

  @Test func aFailureKeepsThePagesBeforeIt() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let session = MockApiSession(
        .success(.of("a", total: 2, next: "1")),
        .failure(.notJSON(status: 200))
      )

      await RepositoryAction(session: session).fetchRepositories(of: mona, limit: nil)

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
          .success(.of("a", total: 2, next: "1")),
          .failure(.cancelled),
          .success(.of("b", total: 1))
        )
      )

      await action.fetchRepositories(of: mona, limit: nil)
      await action.fetchRepositories(of: mona, limit: nil)

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
        .success(.of("a", total: 2, next: "1")),
        .success(.of("b", total: 2))
      )

      await RepositoryAction(session: session).fetchRepositories(of: mona, limit: nil)

      #expect(session.requests.map(\.variables.first) == [100, 50, 25, 25])
      #expect(store.repositories.value == [.named("a"), .named("b")])
      #expect(store.failure.value == nil)
    }
  }

  @Test func aLostConnectionIsTriedOnceMore() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let lost = ApiError.Reason.connectionLost("gone")
      let session = MockApiSession(
        .failure(lost),
        .success(.of("a", total: 2, next: "1")),
        .failure(lost),
        .failure(lost)
      )

      await RepositoryAction(session: session).fetchRepositories(of: mona, limit: nil)

      #expect(session.requests.map(\.variables.after) == [nil, nil, "1", "1"])
      #expect(store.repositories.value == [.named("a")])
      #expect(store.failure.value?.reason == lost)
    }
  }

  @Test func pagesThatLeadNowhereAreAFailure() async {
    await withDispatcher(Dispatcher()) {
      let store = RepositoryStore.instantiate()
      let session = MockApiSession(
        .success(.of("a", total: 9, next: "1")),
        .success(.of("b", total: 9, next: "1"))
      )

      await RepositoryAction(session: session).fetchRepositories(of: mona, limit: nil)

      #expect(store.repositories.value == [.named("a"), .named("b")])
      #expect(store.failure.value == ApiError(.pagesWithoutEnd, at: "mock"))
    }
  }
}
