import FluxCapacitorTesting
import Foundation
import Synchronization

/// What the threads of a scenario share besides the library: what was seen, in order.
///
/// Each access is a point, so that its place among the others' counts.
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

  /// Takes everything out; lets go of it behind the lock.
  func removeAll() {
    interleavingPoint()
    let removed = lock.withLock {
      defer { storage = [] }
      return storage
    }
    withExtendedLifetime(removed) {}
  }
}

/// Whether something has happened; no point.
final class Flag: Sendable {
  private let atomic = Atomic(false)

  var isSet: Bool { atomic.load(ordering: .sequentiallyConsistent) }

  func set() { atomic.store(true, ordering: .sequentiallyConsistent) }
}
