import FluxCapacitor
import Foundation

/// The updates for one page of a ``LiveExplorer``. Only the server's thread uses feeds.
///
/// A feed has no queue. When a page can receive more, the feed sends the remembered dispatches that the
/// page has not received yet. A slow page misses dispatches that the ``TimeCircuits`` has already
/// forgotten.
final class LiveFeed: @unchecked Sendable {
  private let circuits: TimeCircuits
  private let title: String
  private var writer = PageWriter()
  private var isNew = true

  /// The sequence number of the last dispatch that the page has received.
  private var told = 0

  /// The last position that the page has received, as the sequence number of a dispatch.
  private var position = 0

  /// The largest number of dispatches in one update.
  private static let most = 500

  init(_ circuits: TimeCircuits, title: String) {
    self.circuits = circuits
    self.title = title
  }

  /// Returns the next event, or nil if there is nothing to send.
  @Sendable func next() -> Data? {
    update().map { Data("data: ".utf8) + $0.json + Data("\n\n".utf8) }
  }

  /// Returns the next update, or nil if there is nothing to send.
  private func update() -> PageUpdate? {
    let news = circuits.history.update(since: told, atMost: LiveFeed.most)
    let hasForgotten = news.last < told
    guard isNew || hasForgotten || !news.events.isEmpty || news.position != position else {
      return nil
    }
    // The page may have missed changes before the first event, so the page starts again with all variables.
    if news.after == 0, !news.events.isEmpty { (isNew, writer) = (true, PageWriter()) }
    let showsAll = isNew || news.events.contains { $0.stores.contains(where: writer.isNew) }
    let update = writer.update(
      title: isNew ? title : nil,
      first: news.first,
      after: news.after,
      position: news.position,
      events: news.events,
      contents: showsAll ? circuits.dispatcher.contentsOfStores : []
    )
    isNew = false
    told = news.events.last?.sequenceNumber ?? min(told, news.last)
    position = news.position
    return update
  }
}
