#if canImport(Dispatch)
  import Dispatch
#endif
import Synchronization

// In debug builds, a scheduler can decide which thread continues; see `everyInterleaving` in
// FluxCapacitorTesting. Release builds don't contain the scheduling.

#if DEBUG
  /// A step of a thread. Other threads may find different states before and after it.
  @usableFromInline package enum ScheduledStep: Equatable, Sendable {
    /// A wait for a lock. It is possible only while no other thread holds the lock.
    case lock(UInt)
    case tryLock(UInt)

    /// The point after a lock has been unlocked.
    case unlocked(UInt)

    /// A read or a write of an atomic.
    case read(UInt)
    case write(UInt)

    /// A wait until other threads have made progress. It is impossible if no other thread can continue.
    case yield
  }

  /// A thread whose steps wait for a scheduler. The steps of other threads don't wait.
  package protocol ScheduledThread: AnyObject {
    /// Whether the thread stands for the main queue.
    var isMain: Bool { get }

    /// Waits until the scheduler permits the step.
    ///
    /// - Returns: Whether the step is possible. It isn't if it tries to take a lock that another thread
    ///   holds, or yields while no other thread can continue.
    @discardableResult func reach(_ step: ScheduledStep) -> Bool

    /// Runs a block on another thread of the scenario, in place of the queue that this thread sends it to.
    func send(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue)

    /// Whether the thread continues with each possible step, without letting other threads go first.
    var isUninterrupted: Bool { get set }

    /// Called when a trap is about to end the process.
    func willTrap()
  }

  /// The scheduled thread that the current thread runs, if there is one.
  package var scheduledThread: (any ScheduledThread)? {
    get { CurrentThread.current.pointee.scheduled }
    set {
      CurrentThread.current.pointee.scheduled = newValue
      // The thread's earlier work must not influence its behavior in a scenario.
      CurrentThread.current.pointee.changesOfOthers = 0
    }
  }

  /// Returns a new number for a lock or an atomic. It is greater than all earlier ones, and than the
  /// numbers that scenarios give to other things.
  ///
  /// The ordering is relaxed, because only uniqueness matters.
  @usableFromInline func nextLockID() -> UInt { lastLockID.add(1, ordering: .relaxed).newValue }

  private let lastLockID = Atomic<UInt>(1 << (UInt.bitWidth - 2))

  /// Waits until the scheduler permits a step, if the current thread is scheduled. Returns
  /// whether the step is possible.
  @usableFromInline @discardableResult func reach(_ step: ScheduledStep) -> Bool {
    scheduledThread?.reach(step) ?? true
  }
#endif

/// Calls the body of a task's cancellation handler, without letting a scheduler switch threads.
///
/// During the handler, the runtime holds a lock that schedulers don't know. So no scheduler may
/// let the task itself go first.
@inline(__always) func whileCancelling(_ body: () -> Void) {
  #if DEBUG
    let thread = scheduledThread
    let wasUninterrupted = thread?.isUninterrupted ?? false
    thread?.isUninterrupted = true
    defer { thread?.isUninterrupted = wasUninterrupted }
  #endif
  body()
}
