import FluxCapacitorTesting
import GitHubSample
import Testing

@Suite(.isolatedDispatcher)
struct RepositoryStoreTests {
  private let tester = StoreTester(RepositoryStore.self)

  @Test func storeReducesTheEventsOfAFetch() {
    let events: [Fetch<GitHub.Repository>.Event] = [
      .began, .received([.named("a")], totalCount: 1, hasMore: false), .ended,
    ]
    var fetch = Fetch<GitHub.Repository>()

    for event in events {
      fetch.reduce(with: event)
      tester.invoke(.fetch(event)) {
        Change(\.fetch, to: fetch)
      }
    }
  }

  @Test func selectedRepositoryChangesWithoutTheFetch() {
    tester.invoke(.selectRepository(.named("a"))) {
      Change(\.selectedRepository, to: .named("a"))
    }
    tester.invoke(.selectRepository(nil)) {
      Change(\.selectedRepository, to: nil)
    }
  }
}
