import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import GitHubSample
import Testing

@Suite(.isolatedDispatcher)
struct CachedListStoreTests {
  private let list: FetchedList = {
    var query = RepositoryQuery(login: "mona")
    query.direction = .ascending
    query.visibility = .internal
    query.isFork = false
    var repository = GitHub.Repository.various[0]
    repository.createdAt = .start - 2
    repository.updatedAt = .start - 1
    return FetchedList(
      query: query,
      repositories: [repository] + GitHub.Repository.various,
      total: Total(shown: 4, all: 9, hasMore: true),
      date: .start
    )
  }()

  @Test func storeIsRestoredWithTheWholeList() async throws {
    let folder = try TemporaryFolder()
    try await withDispatcher(Dispatcher()) {
      let keeper = try Keeper(directory: folder.url)
      let store = try keeper.open(CachedListStore.self)
      CachedListAction().replace(with: list)
      try await keeper.close()
      withExtendedLifetime(store) {}
    }

    let keeper = try Keeper(directory: folder.url)
    let store = try keeper.open(CachedListStore.self)

    #expect(store.list.value == list)
    withExtendedLifetime(keeper) {}
  }
}
