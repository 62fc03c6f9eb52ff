import GitHubSample
import Testing

struct FetchTests {
  private let error = ApiError(.cancelled, at: "mock")

  private func fetch(_ events: Fetch<Int>.Event...) -> Fetch<Int> {
    events.reduce(into: Fetch()) { $0.reduce(with: $1) }
  }

  @Test func fetchAppendsPagesInOrder() {
    let first = fetch(.began, .received([1], totalCount: 2, hasMore: true))
    var second = first
    second.reduce(with: .received([2], totalCount: 2, hasMore: false))

    #expect(first.items == [1])
    #expect(first.total == Total(shown: 1, all: 2, hasMore: true))
    #expect(second.items == [1, 2])
    #expect(second.total == Total(shown: 2, all: 2))
  }

  @Test func failedFetchKeepsItsItemsAndItsFailure() {
    let failed = fetch(.began, .received([1], totalCount: 2, hasMore: true), .failed(error), .ended)

    #expect(failed.items == [1])
    #expect(failed.failure == error)
    #expect(!failed.isRunning)
  }

  @Test func newFetchForgetsThePreviousFetch() {
    let again = fetch(.began, .received([1], totalCount: 1, hasMore: false), .failed(error), .began)

    #expect(again == fetch(.began))
    #expect(again.isRunning)
  }
}
