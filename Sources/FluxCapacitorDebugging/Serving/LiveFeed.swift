import FluxCapacitor
import Foundation

/// What one page of a ``LiveExplorer`` is told. The server's thread alone uses it.
///
/// Nothing is queued for a page: when it takes more, it is told what it has not been told, as far as that is
/// still remembered. So one that takes it slowly skips what was forgotten meanwhile.
final class LiveFeed: @unchecked Sendable {
  private let circuits: TimeCircuits
  private let title: String
  private var writer = PageWriter()
  private var isNew = true

  /// What the page has been told: the sequence numbers of the last dispatch, and of the last of the past.
  private var told = 0
  private var position = 0

  /// The most dispatches that a page is told at a time.
  private static let most = 500

  init(_ circuits: TimeCircuits, title: String) {
    self.circuits = circuits
    self.title = title
  }

  /// The next event, or nil if there is nothing to tell.
  @Sendable func next() -> Data? {
    update().map { Data("data: ".utf8) + $0.json + Data("\n\n".utf8) }
  }

  /// Returns what the page is to be told, if there is something.
  private func update() -> PageUpdate? {
    let news = circuits.history.update(since: told, atMost: LiveFeed.most)
    let hasForgotten = news.last < told
    guard isNew || hasForgotten || !news.events.isEmpty || news.position != position else {
      return nil
    }
    // With all that it has, it forgets the changes that it was not told: it begins anew.
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
