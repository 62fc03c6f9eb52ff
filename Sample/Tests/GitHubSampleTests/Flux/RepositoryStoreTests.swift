import FluxCapacitorTesting
import GitHubSample
import Testing

@Suite(.isolatedDispatcher)
struct RepositoryStoreTests {
  private let tester = StoreTester(RepositoryStore.self)

  @Test func storeAppendsPagesOfRepositoriesInOrder() {
    tester.invoke(.addRepositories([.named("a")], totalCount: 2, hasMore: true)) {
      Change(\.repositories, to: [.named("a")])
      Change.named("_totalCount", to: 2)
      Change.named("_hasMore", to: true)
      Change(\.total, to: Total(shown: 1, all: 2, hasMore: true))
    }
    tester.invoke(.addRepositories([.named("b")], totalCount: 2, hasMore: false)) {
      Change(\.repositories, to: [.named("a"), .named("b")])
      Change.named("_hasMore", to: false)
      Change(\.total, to: Total(shown: 2, all: 2))
    }
  }

  @Test func removingAllRepositoriesKeepsTheSelectedRepository() {
    tester.invoke(.selectRepository(.named("a"))) {
      Change(\.selectedRepository, to: .named("a"))
    }
    tester.invoke(.removeAll)
    tester.invoke(.selectRepository(nil)) {
      Change(\.selectedRepository, to: nil)
    }
  }

  @Test func storeKeepsTheFailureUntilAllRepositoriesAreRemoved() {
    let error = ApiError(.cancelled, at: "mock")

    tester.invoke(.isFetching(true)) {
      Change(\.isRepositoryFetching, to: true)
    }
    tester.invoke(.fetchingFailed(error)) {
      Change(\.failure, to: error)
    }
    tester.invoke(.isFetching(false)) {
      Change(\.isRepositoryFetching, to: false)
    }
    tester.invoke(.removeAll) {
      Change(\.failure, to: nil)
    }
  }
}
