#if canImport(Dispatch)
  import Dispatch
#endif
import Synchronization

// In debug builds, a scheduler can decide which thread goes on: see `everyInterleaving` in
// FluxCapacitorTesting. Release builds contain nothing of it.

#if DEBUG
  /// A step of a thread, before and after which other threads may find a different state.
  @usableFromInline package enum ScheduledStep: Equatable, Sendable {
    /// Possible only while no other thread has the lock.
    case lock(UInt)
    case tryLock(UInt)

    /// The point after an unlock, which has happened by then.
    case unlocked(UInt)

    /// A read or a write of an atomic that belongs to a lock.
    case read(UInt)
    case write(UInt)

    /// Done when other threads have made progress; impossible if there is none that can.
    case yield
  }

  /// A thread whose steps wait for a scheduler; other threads' steps wait for nothing.
  package protocol ScheduledThread: AnyObject {
    /// Whether the thread stands for the main queue.
    var isMain: Bool { get }

    /// Waits until the scheduler permits the step.
    ///
    /// - Returns: Whether the step is possible: not if it tries for a lock that another thread has,
    ///   or yields while no other thread can go on.
    @discardableResult func reach(_ step: ScheduledStep) -> Bool

    /// Runs a block that was sent to a queue on a thread of the scenario.
    func send(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue)

    /// Whether it goes on with each step that is possible.
    var isUninterrupted: Bool { get set }

    /// Called when the process is about to end.
    func willTrap()
  }

  /// The current thread's scheduled thread, if it has one.
  package var scheduledThread: (any ScheduledThread)? {
    get { CurrentThread.current.pointee.scheduled }
    set {
      CurrentThread.current.pointee.scheduled = newValue
      // What this thread did before must not influence what it does in a scenario.
      CurrentThread.current.pointee.changesOfOthers = 0
    }
  }

  /// Returns a number greater than those of all earlier locks, and than those that scenarios give
  /// to other things. Relaxed: all that matters is that no number is given twice.
  @usableFromInline func nextLockID() -> UInt { lastLockID.add(1, ordering: .relaxed).newValue }

  private let lastLockID = Atomic<UInt>(1 << (UInt.bitWidth - 2))

  /// Waits until a scheduler permits a step of the current thread, if it is scheduled.
  @usableFromInline @discardableResult func reach(_ step: ScheduledStep) -> Bool {
    scheduledThread?.reach(step) ?? true
  }
#endif

/// Calls what a task's cancellation handler does.
///
/// Meanwhile, the runtime holds a lock that no scheduler knows of, so none may let the task itself go first.
@inline(__always) func whileCancelling(_ body: () -> Void) {
  #if DEBUG
    let thread = scheduledThread
    let wasUninterrupted = thread?.isUninterrupted ?? false
    thread?.isUninterrupted = true
    defer { thread?.isUninterrupted = wasUninterrupted }
  #endif
  body()
}
