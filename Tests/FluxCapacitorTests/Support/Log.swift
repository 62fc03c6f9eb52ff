import Synchronization

/// What observers were told, in order, from any thread.
final class Log<Element: Sendable>: Sendable {
  private let storage = Mutex<[Element]>([])

  var entries: [Element] { storage.withLock { $0 } }

  func append(_ entry: Element) {
    storage.withLock { $0.append(entry) }
  }
}
