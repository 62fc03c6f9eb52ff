import Synchronization

/// What is under way on behalf of a dispatcher, for tests that wait until nothing is.
///
/// Work that leads to other work begins that before it ends itself; so once nothing is under way,
/// nothing begins by itself.
@usableFromInline
package final class PendingWork: @unchecked Sendable {
  // All guarded by `lock`.
  private let lock = Lock()
  @exclusivity(unchecked) private var running: [Int: @Sendable () -> String] = [:]
  @exclusivity(unchecked) private var waiting: [@Sendable () -> Void] = []
  @exclusivity(unchecked) private var lastNumber = 0

  /// Notes that something has begun.
  ///
  /// - Parameter describe: Says in a sentence what is under way, for a test that waits in vain.
  /// - Returns: A closure to be called once, when it has ended.
  @usableFromInline
  package func begin(_ describe: @escaping @Sendable () -> String) -> @Sendable () -> Void {
    let number = lock.withLock {
      lastNumber += 1
      running[lastNumber] = describe
      return lastNumber
    }
    return { [self] in end(number) }
  }

  private func end(_ number: Int) {
    var done: [@Sendable () -> Void] = []
    let ended = lock.withLock {
      defer { if running.isEmpty { swap(&done, &waiting) } }
      return running.removeValue(forKey: number)
    }
    withExtendedLifetime(ended) {}
    for body in done { body() }
  }

  /// Calls a closure when nothing is under way: now, or on the thread that ends the last of it.
  package func whenIdle(_ body: @escaping @Sendable () -> Void) {
    let isIdle = lock.withLock {
      if !running.isEmpty { waiting.append(body) }
      return running.isEmpty
    }
    if isIdle { body() }
  }

  /// A sentence for each thing that is under way, in the order in which they began.
  package var descriptions: [String] {
    let running = lock.withLock { self.running }
    return running.sorted { $0.key < $1.key }.map { $0.value() }
  }
}

/// On whose behalf work is pending: a dispatcher.
protocol PendingWorkOwner: AnyObject, Sendable {
  var pendingWork: PendingWork { get }
}

extension PendingWork {
  /// Where what begins now is noted. It is nowhere until something has replaced the process's dispatcher for
  /// the first time: only tests wait for it, and asking a `TaskLocal` takes long.
  @usableFromInline static var current: PendingWork? {
    isReplaced.load(ordering: .relaxed) ? replacement.get()?.pendingWork ?? ofProcess : nil
  }

  /// That of the process's dispatcher.
  static let ofProcess = PendingWork()

  /// What replaces the process's dispatcher in the current task.
  static let replacement = TaskLocal<(any PendingWorkOwner)?>(wrappedValue: nil)

  /// Whether it has ever been replaced. Relaxed: the task in which it is has stored that itself, and no other
  /// depends on it.
  static let isReplaced = Atomic(false)
}
