import Foundation

/// An array of values to which several threads append.
///
/// The log uses an `NSLock`, because the thread sanitizer reports false races for a `Mutex`.
final class Log<Element: Sendable>: @unchecked Sendable {
  // `lock` guards `storage`.
  private let lock = NSLock()
  private var storage: [Element]

  init(_ entries: Element...) {
    storage = entries
  }

  var entries: [Element] { lock.withLock { storage } }

  /// The last entry. Other threads can append meanwhile; see `withEntries`.
  var last: Element? { lock.withLock { storage.last } }

  /// Calls a closure with the entries while other threads append.
  ///
  /// An array from `entries` can alarm the thread sanitizer, because the sanitizer doesn't see that an
  /// array's reference count orders a reading thread and an appending thread.
  func withEntries<Result>(_ body: ([Element]) -> Result) -> Result {
    lock.withLock { body(storage) }
  }

  func removeAll() {
    lock.withLock { storage.removeAll() }
  }

  func append(_ entry: Element) {
    lock.withLock { storage.append(entry) }
  }
}

/// A value that any thread can set.
final class Protected<Value: Sendable>: @unchecked Sendable {
  // `lock` guards `storage`.
  private let lock = NSLock()
  private var storage: Value

  init(_ value: Value) { storage = value }

  var value: Value { lock.withLock { storage } }

  func set(_ value: Value) { lock.withLock { storage = value } }
}
