/// A fetch, and the items that the fetch has received so far.
///
/// A store keeps a fetch in one variable. So an observer never sees the items of one fetch with the
/// failure of another fetch.
package struct Fetch<Item: Equatable & Sendable>: Equatable, Sendable {
  /// The events of a fetch, in the order in which they happen.
  package enum Event: Equatable, Sendable {
    case began
    case received([Item], totalCount: Int, hasMore: Bool)
    case failed(ApiError)
    case ended
  }

  package private(set) var isRunning = false

  /// The items, in the order in which they were fetched.
  package private(set) var items: [Item] = []

  /// The numbers of fetched items and of all items, or nil before the first page.
  package private(set) var total: Total?

  /// The error that ended the fetch early. The items before the error remain.
  package private(set) var failure: ApiError?

  package init() {}

  package mutating func reduce(with event: Event) {
    switch event {
    case .began:
      self = Fetch()
      isRunning = true
    case .received(let page, let totalCount, let hasMore):
      items += page
      total = Total(shown: items.count, all: totalCount, hasMore: hasMore)
    case .failed(let error):
      failure = error
    case .ended:
      isRunning = false
    }
  }
}
