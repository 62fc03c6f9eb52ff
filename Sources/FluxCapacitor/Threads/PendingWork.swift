import Synchronization

/// The work in progress on behalf of a dispatcher, for tests that wait until there is none.
///
/// Work that causes other work begins that before it ends itself. So once nothing is in progress,
/// nothing begins by itself.
@usableFromInline package final class PendingWork: @unchecked Sendable {
  // All guarded by `lock`.
  private let lock = Lock()
  @exclusivity(unchecked) private var running: [Int: @Sendable () -> String] = [:]
  @exclusivity(unchecked) private var waiting: [@Sendable () -> Void] = []
  @exclusivity(unchecked) private var lastNumber = 0

  /// Notes that some work has begun.
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

  /// Calls a closure when nothing is in progress: now, or on the thread that ends the last work.
  package func whenIdle(_ body: @escaping @Sendable () -> Void) {
    let isIdle = lock.withLock {
      if !running.isEmpty { waiting.append(body) }
      return running.isEmpty
    }
    if isIdle { body() }
  }

  /// A sentence about each piece of work in progress, in the order in which they began.
  package var descriptions: [String] {
    let running = lock.withLock { self.running }
    return running.sorted { $0.key < $1.key }.map { $0.value() }
  }
}

/// Has pending work: a dispatcher, whose type is in a layer above.
protocol PendingWorkOwner: AnyObject, Sendable { var pendingWork: PendingWork { get } }

extension PendingWork {
  /// The pending work of the current task's dispatcher. It is `nil` until the process's dispatcher
  /// has been replaced for the first time, because only tests wait for it and a `TaskLocal` is slow
  /// to read.
  @usableFromInline static var current: PendingWork? {
    shortcut.load(ordering: .relaxed) == isReplaced
      ? replacement.get()?.pendingWork ?? ofProcess : nil
  }

  /// The pending work of the process's dispatcher.
  static let ofProcess = PendingWork()

  /// What replaces the process's dispatcher in the current task.
  static let replacement = TaskLocal<(any PendingWorkOwner)?>(wrappedValue: nil)

  /// The address of the process's dispatcher until it is replaced for the first time, because
  /// reading a `TaskLocal` takes longer than all the rest. Zero before it is created; `isReplaced`
  /// for good once it was replaced.
  ///
  /// Releasing and acquiring, so that a thread that reads the address finds the dispatcher
  /// initialized. `isReplaced` is stored and looked for relaxed: the task in which the dispatcher is
  /// replaced has stored it itself, and no other task depends on it.
  static let shortcut = Atomic<UInt>(0)
  static let isReplaced: UInt = 1
}
