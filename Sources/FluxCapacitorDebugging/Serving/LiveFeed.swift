import FluxCapacitor
import Foundation

/// What the pages of a ``LiveExplorer`` are told. The server's thread alone uses it.
///
/// Nothing is queued for a page: when it takes more, it is told what it has not been told, as far as that is
/// still remembered. So one that takes it slowly skips what was forgotten meanwhile.
final class LiveFeed: @unchecked Sendable {
  private let circuits: TimeCircuits
  private let title: String
  private var writer = PageWriter()

  /// The most dispatches that a page is told at a time.
  private static let most = 500

  init(_ circuits: TimeCircuits, title: String) {
    self.circuits = circuits
    self.title = title
  }

  /// A stream for a page that knows nothing yet.
  func stream() -> any LiveStream { Stream(of: self) }

  /// Returns what a page is to be told, if there is something.
  fileprivate func update(for page: inout Page) -> PageUpdate? {
    let news = circuits.history.update(since: page.told, atMost: LiveFeed.most)
    guard page.isNew || !news.events.isEmpty || news.position != page.position else { return nil }
    let showsAll = page.isNew || news.events.contains { $0.stores.contains(where: writer.isNew) }
    let update = writer.update(
      title: page.isNew ? title : nil,
      first: news.first,
      after: news.after,
      position: news.position,
      events: news.events,
      contents: showsAll ? circuits.dispatcher.contentsOfStores : []
    )
    page.isNew = false
    page.told = news.events.last?.sequenceNumber ?? page.told
    page.position = news.position
    return update
  }

  /// What a page has been told: the sequence numbers of the last dispatch, and of the last of the past.
  fileprivate struct Page {
    var isNew = true
    var told = 0
    var position = 0
  }

  private final class Stream: LiveStream, @unchecked Sendable {
    private let feed: LiveFeed
    private var page = Page()

    init(of feed: LiveFeed) {
      self.feed = feed
    }

    func next() -> Data? {
      feed.update(for: &page).map { Data("data: ".utf8) + $0.json + Data("\n\n".utf8) }
    }
  }
}
