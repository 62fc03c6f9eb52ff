import FluxCapacitorTesting
import Foundation
import Synchronization

/// A log that the threads of a scenario share, with its entries in order.
///
/// Each access is a point at which the scheduler can switch threads. So schedules also differ by the order of
/// these accesses.
final class Trace<Element: Sendable>: @unchecked Sendable {
  // `storage` is guarded by `lock`.
  private let lock = NSLock()
  private var storage: [Element] = []

  init(_ entries: Element...) {
    storage = entries
  }

  var entries: [Element] {
    interleavingPoint()
    return lock.withLock { storage }
  }

  var last: Element? { entries.last }

  func append(_ entry: Element) {
    interleavingPoint()
    lock.withLock { storage.append(entry) }
  }

  /// Removes all entries, and releases them after unlocking.
  func removeAll() {
    interleavingPoint()
    let removed = lock.withLock {
      defer { storage = [] }
      return storage
    }
    withExtendedLifetime(removed) {}
  }
}

/// A flag that threads share. Unlike a `Trace`, it adds no point at which the scheduler can switch threads.
final class Flag: Sendable {
  private let atomic = Atomic(false)

  var isSet: Bool { atomic.load(ordering: .sequentiallyConsistent) }

  func set() { atomic.store(true, ordering: .sequentiallyConsistent) }
}
