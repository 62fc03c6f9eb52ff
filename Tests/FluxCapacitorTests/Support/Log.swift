import Foundation

/// The values that observers have received, in order, from any thread.
///
/// The thread sanitizer understands the lock of a log. With a `Mutex`, it would report false alarms.
final class Log<Element: Sendable>: @unchecked Sendable {
  // `storage` is guarded by `lock`.
  private let lock = NSLock()
  private var storage: [Element]

  init(_ entries: Element...) {
    storage = entries
  }

  var entries: [Element] { lock.withLock { storage } }

  /// The last entry. Unlike `entries`, it can be read while other threads append, even under the thread
  /// sanitizer.
  var last: Element? { lock.withLock { storage.last } }

  func removeAll() {
    lock.withLock { storage.removeAll() }
  }

  func append(_ entry: Element) {
    lock.withLock { storage.append(entry) }
  }
}

/// A value that any thread may set.
final class Protected<Value: Sendable>: @unchecked Sendable {
  // `storage` is guarded by `lock`.
  private let lock = NSLock()
  private var storage: Value

  init(_ value: Value) { storage = value }

  var value: Value { lock.withLock { storage } }

  func set(_ value: Value) { lock.withLock { storage = value } }
}
