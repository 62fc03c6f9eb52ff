import Synchronization

/// A record of a dispatcher's unfinished work, for tests that wait until all work has ended.
///
/// Work that causes further work begins the further work before ending itself. So when no work is in
/// progress, no further work begins on its own.
@usableFromInline package final class PendingWork: @unchecked Sendable {
  // `lock` guards all properties of this class.
  private let lock = Lock()
  @exclusivity(unchecked) private var running: [Int: @Sendable () -> String] = [:]
  @exclusivity(unchecked) private var waiting: [@Sendable () -> Void] = []
  @exclusivity(unchecked) private var lastNumber = 0

  /// Records that a piece of work has begun.
  ///
  /// - Parameter describe: Returns a sentence about the work, for the failure message of a test that
  ///   waits too long.
  /// - Returns: A closure that the caller has to call once, when the work has ended.
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

  /// Calls a closure when no work is in progress. The call happens immediately, or on the thread that
  /// ends the last piece of work.
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

/// An object with a record of pending work. `Dispatcher`, in the folder `Dispatching`, conforms to this
/// protocol.
protocol PendingWorkOwner: AnyObject, Sendable { var pendingWork: PendingWork { get } }

extension PendingWork {
  /// The pending work of the current task's dispatcher. The value is `nil` until code replaces the
  /// process's dispatcher for the first time.
  ///
  /// Only tests wait for pending work. Until code replaces the process's dispatcher, this getter avoids a
  /// slow read of a `TaskLocal`.
  @usableFromInline static var current: PendingWork? {
    shortcut.load(ordering: .relaxed) == isReplaced
      ? replacement.get()?.pendingWork ?? ofProcess : nil
  }

  /// The pending work of the process's dispatcher.
  static let ofProcess = PendingWork()

  /// The dispatcher that replaces the process's dispatcher in the current task.
  static let replacement = TaskLocal<(any PendingWorkOwner)?>(wrappedValue: nil)

  /// The address of the process's dispatcher, until code replaces that dispatcher for the first time.
  ///
  /// The value is zero before the dispatcher is created. After the first replacement, the value is always
  /// `isReplaced`. As long as the value is an address, finding the dispatcher requires no read of a
  /// `TaskLocal`. Reading a `TaskLocal` takes longer than all other steps of finding the dispatcher.
  ///
  /// Threads store the address with release ordering and load the address with acquire ordering. So a
  /// thread that loads the address finds the dispatcher initialized. Relaxed ordering is enough for
  /// `isReplaced`. Only the task that replaces the dispatcher depends on `isReplaced`, and that same task
  /// has stored `isReplaced`.
  static let shortcut = Atomic<UInt>(0)
  static let isReplaced: UInt = 1
}
