#if canImport(Dispatch)
  import Dispatch
#endif
import Synchronization

// In debug builds, the scheduler of the test function `everyInterleaving` can decide which thread
// continues. Release builds contain no scheduling code.

#if DEBUG
  /// A step of a thread. The order in which threads take such steps can change a program's results.
  @usableFromInline package enum ScheduledStep: Equatable, Sendable {
    /// A wait for a lock. This step is possible only while no other thread holds the lock.
    case lock(UInt)
    case tryLock(UInt)

    /// The point immediately after a thread has unlocked a lock.
    case unlocked(UInt)

    /// A read or a write of an atomic value.
    case read(UInt)
    case write(UInt)

    /// A wait until other threads have made progress. This step is possible only if another thread can
    /// continue.
    case yield
  }

  /// A thread of a scenario, which waits for the scheduler before each step. Threads outside the scenario
  /// never wait for the scheduler.
  @usableFromInline package protocol ScheduledThread: AnyObject {
    /// The number of the thread in schedules.
    var number: Int { get }

    /// Whether this thread represents the main queue.
    var isMain: Bool { get }

    /// Waits until the scheduler permits the step.
    ///
    /// - Returns: Whether the step is possible. A `tryLock` is impossible while another thread holds the
    ///   lock. A `yield` is impossible if no other thread can continue.
    @discardableResult func reach(_ step: ScheduledStep) -> Bool

    /// Sends a block to another thread of the scenario instead of to the dispatch queue.
    func send(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue)

    /// The list of the changes that views of the scenario might have missed, if there is one.
    var missedChanges: AnyObject? { get set }

    /// Whether the scheduler lets this thread take all possible steps before other threads continue.
    var isUninterrupted: Bool { get set }

    /// Whether this thread belongs to a run that records its operations.
    var isRecorded: Bool { get }

    /// Records an operation for the report of a schedule. See `recordOperation(_:_:_:)`.
    func recordOperation(_ verb: String, _ object: Any?, _ value: Any?)

    /// Records a write or a commit of a channel, whose lock this thread holds. See `recordWrite(_:_:)`.
    func recordWrite(_ channel: AnyObject, _ value: Any, isCommitted: Bool)
    func recordCommit(_ channel: AnyObject)

    /// Called when a trap is about to end the process.
    func willTrap(_ sentence: String)
  }

  /// The scenario thread that the current thread runs, if any.
  @usableFromInline package var scheduledThread: (any ScheduledThread)? {
    get { currentThread().pointee.scheduled }
    set {
      currentThread().pointee.scheduled = newValue
      // Earlier work of the current thread must not influence the scenario.
      currentThread().pointee.handoverPressure = 0
      currentThread().pointee.withdrawnOffers = 0
    }
  }

  /// Returns a new number for a lock or an atomic value. The number is greater than the numbers that scenarios
  /// give to other objects, and no other lock has it. In a schedule, the numbers are consecutive, so each run of
  /// the schedule gives the same numbers to the same locks.
  ///
  /// Relaxed ordering is enough, because the numbers only have to be unique.
  @usableFromInline func nextLockID(isOfProcess: Bool = false) -> UInt {
    guard !isOfProcess, let last = ThreadState.existing?.pointee.lastLockID else {
      return lastLockID.add(1, ordering: .relaxed).newValue
    }
    last.pointee += 1
    return last.pointee
  }

  private let lastLockID = Atomic<UInt>(1 << (UInt.bitWidth - 2))

  /// If the current thread belongs to a scenario, waits until the scheduler permits a step. Returns
  /// whether the step is possible.
  @usableFromInline @discardableResult func reach(_ step: ScheduledStep) -> Bool {
    scheduledThread?.reach(step) ?? true
  }
#endif

/// Records the operation that the calling function performs until it returns. The report of a schedule
/// describes the function's steps as this operation, for example as "reads count: 0".
///
/// Release builds don't evaluate the arguments, and contain neither a call nor this function. An
/// `@inlinable` function that isn't called would remain in the library.
///
/// - Parameters:
///   - verb: The operation in the words of the library's users.
///   - object: The channel or the type that the operation uses.
///   - value: The value that the operation reads, writes or delivers. A function that learns the value
///     late records the same operation again with the value.
@_transparent @_alwaysEmitIntoClient
func recordOperation(
  _ verb: @autoclosure () -> String,
  _ object: @autoclosure () -> Any? = nil,
  _ value: @autoclosure () -> Any? = nil
) {
  #if DEBUG
    if let thread = scheduledThread, thread.isRecorded {
      thread.recordOperation(verb(), object(), value())
    }
  #endif
}

/// Records that a channel has a new value, or that a sink has an event. The generator of random scenarios thus learns
/// the order of all writes. The caller must hold the channel's lock.
///
/// - Parameter isCommitted: Whether the write is immediately a change, because nobody observes the channel.
@_transparent @_alwaysEmitIntoClient
func recordWrite(
  _ channel: @autoclosure () -> AnyObject,
  _ value: @autoclosure () -> Any,
  isCommitted: @autoclosure () -> Bool
) {
  #if DEBUG
    scheduledThread?.recordWrite(channel(), value(), isCommitted: isCommitted())
  #endif
}

/// Records that the value of a channel is a change now, which no longer waits for the end of a transaction. The caller
/// must hold the channel's lock.
@_transparent @_alwaysEmitIntoClient
func recordCommit(_ channel: @autoclosure () -> AnyObject) {
  #if DEBUG
    scheduledThread?.recordCommit(channel())
  #endif
}

/// Calls the body of a task's cancellation handler, while the scheduler doesn't switch threads.
///
/// During the handler, the Swift runtime holds a lock of the task, and the scheduler doesn't know about
/// this lock. Therefore, the scheduler must not let the task continue before the handler ends.
@inline(__always) package func whileCancelling(_ body: () -> Void) {
  #if DEBUG
    let thread = scheduledThread
    let wasUninterrupted = thread?.isUninterrupted ?? false
    thread?.isUninterrupted = true
    defer { thread?.isUninterrupted = wasUninterrupted }
  #endif
  body()
}
