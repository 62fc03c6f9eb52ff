import FluxCapacitorTesting
import Foundation

/// An array of values to which several threads append.
///
/// In a scenario, each access to the log is a point at which the scheduler can switch threads. So schedules
/// also differ in the order of these accesses.
///
/// The log uses an `NSLock`, because the thread sanitizer reports false races for a `Mutex`.
package final class Log<Element: Sendable>: @unchecked Sendable {
  // `lock` guards `storage`.
  private let lock = NSLock()
  private var storage: [Element]

  package init(_ entries: Element...) {
    storage = entries
  }

  package var entries: [Element] {
    interleavingPoint()
    return lock.withLock { storage }
  }

  /// The last entry. Other threads can append meanwhile; see `withEntries`.
  package var last: Element? {
    interleavingPoint()
    return lock.withLock { storage.last }
  }

  /// Calls a closure with the entries while other threads append.
  ///
  /// An array from `entries` can alarm the thread sanitizer, because the sanitizer doesn't see that an
  /// array's reference count orders a reading thread and an appending thread.
  package func withEntries<Result>(_ body: ([Element]) -> Result) -> Result {
    interleavingPoint()
    return lock.withLock { body(storage) }
  }

  package func append(_ entry: Element) {
    interleavingPoint()
    lock.withLock { storage.append(entry) }
  }

  /// Removes all entries, and releases the entries after unlocking.
  package func removeAll() {
    interleavingPoint()
    let removed = lock.withLock {
      defer { storage = [] }
      return storage
    }
    withExtendedLifetime(removed) {}
  }
}
