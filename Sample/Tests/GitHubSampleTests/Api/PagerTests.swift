import GitHubSample
import Testing

struct PagerTests {
  @Test func pagerRequestsEachPageAtTheCursorOfThePreviousPage() {
    var pager = Pager(RepositoriesRequest.ofMona(first: 100), limit: nil)

    let first = pager.nextRequest
    _ = pager.accept(.of("a", total: 2, next: "1"))
    let second = pager.nextRequest
    _ = pager.accept(.of("b", total: 2))

    #expect(first == RepositoriesRequest.ofMona(first: 100))
    #expect(second == RepositoriesRequest.ofMona(first: 100, after: "1"))
    #expect(pager.nextRequest == nil)
    #expect(!pager.isStuck)
  }

  @Test func pagerRequestsAndAcceptsNoMoreItemsThanTheLimit() {
    var pager = Pager(RepositoriesRequest.ofMona(first: 100), limit: 104)
    let full = (0..<100).map(String.init)

    let first = pager.nextRequest
    let some = pager.accept(.of(full, total: 109, next: "1"))
    let second = pager.nextRequest
    let rest = pager.accept(.of("a", "b", "c", "d", "e", total: 109, next: "2"))

    #expect([first, second].map(\.?.first) == [100, 4])
    #expect(some.count == 100)
    #expect(rest == [.named("a"), .named("b"), .named("c"), .named("d")])
    #expect(pager.nextRequest == nil)
    #expect(!pager.isStuck)
  }

  @Test func pagerRequestsFullPagesAfterAPageWithFewerItemsThanRequested() {
    var pager = Pager(RepositoriesRequest.ofMona(first: 100), limit: 2)

    _ = pager.accept(.of("a", total: 300, next: "1"))

    #expect(pager.nextRequest?.first == 100)
    #expect(pager.accept(.of("b", "c", total: 300, next: "2")) == [.named("b")])
    #expect(pager.hasMore)
  }

  @Test func pagerContinuesAfterPagesWithoutItems() {
    var pager = Pager(RepositoriesRequest.ofMona(first: 100), limit: nil)

    for page in 1...10 {
      #expect(pager.nextRequest != nil)
      #expect(pager.accept(.of(total: 11, next: "\(page)")) == [])
    }
  }

  @Test func pagerStopsAfterAHundredPagesWithoutItems() {
    var pager = Pager(RepositoriesRequest.ofMona(first: 100), limit: nil)

    for page in 1...100 {
      #expect(!pager.isStuck)
      #expect(pager.accept(.of(total: 11, next: "\(page)")) == [])
    }

    #expect(pager.isStuck)
  }

  @Test func pagerStopsWhenTheServerReturnsNoCursor() {
    var pager = Pager(RepositoriesRequest.ofMona(first: 100), limit: nil)

    _ = pager.accept(Page(items: [GitHub.Repository.named("a")], totalCount: 2, hasNextPage: true))

    #expect(pager.isStuck)
    #expect(pager.nextRequest == nil)
  }

  @Test func pagerStopsAfterThreePagesWithoutNewItems() {
    var pager = Pager(RepositoriesRequest.ofMona(first: 100), limit: nil)
    var requestCount = 0

    while pager.nextRequest != nil, requestCount < 100 {
      requestCount += 1
      _ = pager.accept(.of("a", total: 3, next: "\(requestCount)"))
    }

    #expect(requestCount == 4)
    #expect(pager.isStuck)
  }

  @Test func pagerHalvesThePageSizeDownToOneItem() {
    var pager = Pager(RepositoriesRequest.ofMona(first: 100), limit: 30)

    let sizes = (0..<7).map { _ in
      defer { pager.halvePageSize() }
      return pager.nextRequest?.first
    }

    #expect(sizes == [30, 15, 7, 3, 1, 1, 1])
  }

  @Test func pagerLimitCountsOnlyItemsThatPassTheFilter() {
    var pager = Pager(RepositoriesRequest.ofMona(first: 100), limit: 2) { repository in
      repository.nameWithOwner.hasSuffix("x")
    }

    let first = pager.nextRequest
    let some = pager.accept(.of("a", "b", "ax", total: 6, next: "1"))
    let second = pager.nextRequest
    let rest = pager.accept(.of("c", "bx", "cx", total: 6))

    #expect([first, second].map(\.?.first) == [100, 100])
    #expect(some + rest == [.named("ax"), .named("bx")])
    #expect(pager.nextRequest == nil)
    #expect(pager.hasMore)
  }

  @Test func pagerContinuesAfterPagesWithoutMatchingItems() {
    var pager = Pager(RepositoriesRequest.ofMona(first: 100), limit: nil) { _ in false }

    for page in 1...10 {
      #expect(pager.nextRequest != nil)
      #expect(pager.accept(.of("a\(page)", total: 11, next: "\(page)")) == [])
    }

    #expect(!pager.isStuck)
  }
}
