#if canImport(Dispatch)
  import Dispatch
#endif

/// The trackers of changes that a view might have missed.
///
/// The body of a view reads a value, another thread changes it, and only then does Observation begin to wait for the
/// next change. The view would show the former value for ever. So the trackings of such a value are notified once more
/// in a block on the main queue. No body is running there, so Observation is waiting by then.
///
/// One block serves a burst of changes. If the main queue never runs, the block stays the only one, and the list
/// contains no more trackers than there are.
final class MissedChanges: @unchecked Sendable {
  private struct Entry {
    weak var tracker: Tracker?
  }

  // `lock` guards the properties below. A reference from `Entry` is used without the lock, because it might be the
  // last one.
  private let lock = Lock()
  private var entries: [Int: Entry] = [:]
  private var lastNumber = 0
  private var isBlockSent = false

  private static let ofProcess = MissedChanges()

  /// The list of the process, or of the scenario that runs the current thread.
  static var current: MissedChanges {
    #if DEBUG
      if let thread = scheduledThread {
        let list = thread.missedChanges as? MissedChanges ?? MissedChanges()
        thread.missedChanges = list
        return list
      }
    #endif
    return ofProcess
  }

  /// Adds a tracker.
  ///
  /// - Returns: The number with which the tracker can be removed, and whether the caller has to call `sendBlock()`.
  func add(_ tracker: Tracker) -> (number: Int, isFirst: Bool) {
    lock.withLock {
      defer { isBlockSent = true }
      lastNumber += 1
      entries[lastNumber] = Entry(tracker: tracker)
      return (lastNumber, !isBlockSent)
    }
  }

  func sendBlock() { DispatchQueue.main.send { self.notify() } }

  func remove(_ number: Int) { lock.withLock { entries[number] = nil } }

  private func notify() {
    var entries: [Int: Entry] = [:]
    lock.withLock {
      swap(&entries, &self.entries)
      isBlockSent = false
    }
    currentThread().whileDelivering {
      for (_, entry) in entries.sorted(by: { $0.key < $1.key }) {
        entry.tracker?.noteMissedChange()
      }
    }
  }
}
