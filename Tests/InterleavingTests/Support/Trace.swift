import FluxCapacitorTesting
import Foundation
import Synchronization

/// A log with ordered entries that the threads of a scenario share.
///
/// Each access to the log is a point at which the scheduler can switch threads, so schedules also differ in
/// the order of these accesses.
final class Trace<Element: Sendable>: @unchecked Sendable {
  // The lock guards `storage`.
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

  /// Removes all entries, and releases the entries after unlocking.
  func removeAll() {
    interleavingPoint()
    let removed = lock.withLock {
      defer { storage = [] }
      return storage
    }
    withExtendedLifetime(removed) {}
  }
}

/// A flag that threads share. The scheduler can't switch threads at an access to the flag.
final class Flag: Sendable {
  private let atomic = Atomic(false)

  var isSet: Bool { atomic.load(ordering: .sequentiallyConsistent) }

  func set() { atomic.store(true, ordering: .sequentiallyConsistent) }
}
