import Synchronization

/// The work in progress on behalf of a dispatcher, for tests that wait until all of it has ended.
///
/// Work that causes other work begins the other work before it ends itself. So once no work is in progress,
/// no further work begins by itself.
@usableFromInline package final class PendingWork: @unchecked Sendable {
  // `lock` guards all of these.
  private let lock = Lock()
  @exclusivity(unchecked) private var running: [Int: @Sendable () -> String] = [:]
  @exclusivity(unchecked) private var waiting: [@Sendable () -> Void] = []
  @exclusivity(unchecked) private var lastNumber = 0

  /// Records that a piece of work has begun.
  ///
  /// - Parameter describe: Returns a sentence about the work, for a test that waits in vain.
  /// - Returns: A closure to call once, when the work has ended.
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

  /// Calls a closure when no work is in progress: immediately, or on the thread that ends the last work.
  package func whenIdle(_ body: @escaping @Sendable () -> Void) {
    let isIdle = lock.withLock {
      if !running.isEmpty { waiting.append(body) }
      return running.isEmpty
    }
    if isIdle { body() }
  }

  /// Sentences about the pieces of work in progress, in the order in which the work began.
  package var descriptions: [String] {
    let running = lock.withLock { self.running }
    return running.sorted { $0.key < $1.key }.map { $0.value() }
  }
}

/// An object with pending work. Dispatchers, which are in a later folder, conform to it.
protocol PendingWorkOwner: AnyObject, Sendable { var pendingWork: PendingWork { get } }

extension PendingWork {
  /// The pending work of the current task's dispatcher, or `nil` until the process's dispatcher is
  /// replaced for the first time.
  ///
  /// Only tests wait for pending work, and a `TaskLocal` is slow to read.
  @usableFromInline static var current: PendingWork? {
    shortcut.load(ordering: .relaxed) == isReplaced
      ? replacement.get()?.pendingWork ?? ofProcess : nil
  }

  /// The pending work of the process's dispatcher.
  static let ofProcess = PendingWork()

  /// The dispatcher that replaces the process's dispatcher in the current task.
  static let replacement = TaskLocal<(any PendingWorkOwner)?>(wrappedValue: nil)

  /// The address of the process's dispatcher, until that dispatcher is replaced for the first time.
  ///
  /// The value is zero before the dispatcher is created, and `isReplaced` for good after the first
  /// replacement. The address makes it unnecessary to read a `TaskLocal`, which takes longer than the rest
  /// of finding the dispatcher.
  ///
  /// The address is stored with release ordering and loaded with acquire ordering, so that a thread that
  /// reads it finds the dispatcher initialized. `isReplaced` is stored and compared with relaxed ordering.
  /// The task in which the dispatcher is replaced has stored it itself, and no other task depends on it.
  static let shortcut = Atomic<UInt>(0)
  static let isReplaced: UInt = 1
}
