import Dispatch
import Synchronization

// Where a scheduler decides, in debug builds, which thread goes on: see `everyInterleaving` in
// FluxCapacitorTesting. Release builds have no trace of it.

#if DEBUG
  /// A step of a thread, after or before which others find something else.
  @usableFromInline
  package enum ScheduledStep: Equatable, Sendable {
    /// It is done when nobody has the lock.
    case lock(UInt)
    case tryLock(UInt)

    /// What comes behind an unlocking, which is done by then.
    case unlocked(UInt)

    /// A read, or a write, of what is atomic and goes with a lock.
    case read(UInt)
    case write(UInt)

    /// It is done when others have got on, and can't be if there are none.
    case yield
  }

  /// A thread whose steps are done when a scheduler says so; other threads have none.
  package protocol ScheduledThread: AnyObject {
    /// Whether the thread stands for the main queue.
    var isMain: Bool { get }

    /// Waits until the step is to be done.
    ///
    /// - Returns: Whether it can be: not if it is to try for a lock that another thread has, or to let
    ///   others go on and none can.
    @discardableResult
    func reach(_ step: ScheduledStep) -> Bool

    /// Has a thread of the scenario run a block that was sent to a queue.
    func send(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue)

    /// Says that the process is about to end.
    func willTrap()
  }

  /// The scheduled thread that this one is, if it is one.
  package var scheduledThread: (any ScheduledThread)? {
    get { CurrentThread.current.pointee.scheduled }
    set {
      CurrentThread.current.pointee.scheduled = newValue
      // It is to do the same as one that has done nothing before.
      CurrentThread.current.pointee.changesOfOthers = 0
    }
  }

  /// A number greater than those of all locks before, and than those that scenarios give to other things.
  /// Relaxed: that no number is given twice is all.
  @usableFromInline
  func nextLockID() -> UInt { lastLockID.add(1, ordering: .relaxed).newValue }

  private let lastLockID = Atomic<UInt>(1 << 62)

  /// Whether somebody decides when this thread goes on.
  @usableFromInline
  var isScheduled: Bool { scheduledThread != nil }

  /// Waits until a step of this thread is to be done, if somebody decides on that.
  @usableFromInline
  @discardableResult
  func reach(_ step: ScheduledStep) -> Bool {
    scheduledThread?.reach(step) ?? true
  }
#endif

extension Lock {
  /// What a thread is about to do with something atomic that goes with this lock.
  @usableFromInline
  enum AtomicAccess {
    case read, write
  }

  /// A point before an atomic access on which a decision rests, at which other threads may go on first.
  ///
  /// It is only ever part of its caller, so that nothing is left of it in a release build.
  @_alwaysEmitIntoClient
  @inline(__always)
  func schedulePoint(_ access: AtomicAccess) {
    #if DEBUG
      switch access {
      case .read: reach(.read(id))
      case .write: reach(.write(id))
      }
    #endif
  }
}

extension DispatchQueue {
  /// Runs a block on this queue, some time.
  @usableFromInline
  func send(_ block: @escaping @Sendable () -> Void) {
    #if DEBUG
      if let thread = scheduledThread { return thread.send(block, to: self) }
    #endif
    async(execute: block)
  }
}
