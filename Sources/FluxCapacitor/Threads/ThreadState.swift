#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
import Synchronization

/// What one thread has under way: its transaction, its round of deliveries, its queued dispatches.
///
/// It hangs on a pthread key, which costs 2 ns to ask where a `TaskLocal` costs 34. Nobody but its
/// own thread touches it, so it needs no lock. It is used through a pointer, one field at a time,
/// because code of the user's that runs in between comes back to it.
@usableFromInline
struct ThreadState: ~Copyable {
  /// This thread's number in locks and channels; never zero.
  @usableFromInline let id: UInt32

  /// Transactions, reduces and mutations that are open: writes join the outermost one.
  @usableFromInline var openTransactions = 0

  /// What tells the outermost transaction, open or the last one, from all others of all threads.
  @usableFromInline var transaction: UInt64

  /// Reduces, mutations, reads and inits of stores that are open: dispatches wait for their end.
  @usableFromInline var dispatchDeferrals = 0

  /// Bodies of `modify` that are open: each holds the lock of a variable.
  @usableFromInline var openMutations = 0

  /// Inits of stores that are running: other threads may be waiting for each of those stores.
  @usableFromInline var openCreations = 0

  /// The route of the state that stores on this thread are reducing; reduces never nest.
  @usableFromInline var reducing: Unmanaged<AnyObject>?

  /// How often this thread has marked what derives from a variable that it wrote to.
  @usableFromInline var invalidations: UInt64 = 0

  /// Whether an observer is being told on this thread: what it sets is told after the round.
  @usableFromInline var isDelivering = false

  /// What is to be told by this thread when no transaction is open: a place for each channel that a
  /// transaction has written to, in the order of the first writes, and for each change that had to
  /// wait for another.
  @usableFromInline var round = FIFO<Delivery>()

  /// Where it is noted that this thread has a round to tell, and what is to be called at its end.
  var accounts: [(of: PendingWork, end: @Sendable () -> Void)] = []

  /// How many changes of others it has come to tell in this round, since it last offered them that.
  @usableFromInline var changesOfOthers: Int32 = 0

  /// The dispatcher on which a recorded state is being dispatched again; see `Dispatcher.replay(_:)`.
  @usableFromInline var replaying: ObjectIdentifier?

  /// Dispatches that wait for the end of the reduce that they were invoked in.
  @usableFromInline var deferredDispatches = FIFO<(CurrentThread) -> Void>()

  /// What finds out whether a read is tracked, once one was: a `Tracking`, which is a layer above.
  var tracking: Unmanaged<AnyObject>?

  #if DEBUG
    /// What decides when this thread goes on, if that is not the system alone.
    unowned(unsafe) var scheduled: (any ScheduledThread)?

    /// The depth of what is being told.
    @usableFromInline var depth = 0

    /// The names of those who take part in what seems to be a cycle of observers.
    var cycle: [String] = []

    /// No chain of observers that ends is as long; a cycle gets there in about a second.
    static let depthOfCycles = 1_000_000
  #endif

  /// What is to be let go of when the present letting go has ended; see `releaseContents(_:)`.
  var releaseQueue: [AnyObject]?

  @usableFromInline
  init(id: UInt32) {
    self.id = id
    transaction = ThreadState.firstTransaction(of: id)
  }

  deinit {
    tracking?.release()
  }

  /// There is room for 10^12 transactions before the numbers of the next thread begin.
  @inlinable
  static func firstTransaction(of id: UInt32) -> UInt64 { UInt64(id) &<< 40 }

  /// Whether a transaction is, or was, one of this thread's.
  @inlinable
  func began(_ transaction: UInt64) -> Bool {
    (transaction ^ ThreadState.firstTransaction(of: id)) &>> 40 == 0
  }
}

/// The state of the thread that asks.
@usableFromInline
typealias CurrentThread = UnsafeMutablePointer<ThreadState>

/// Asks for the state. As a static property the same would be called through a thunk.
@usableFromInline
func currentThread() -> CurrentThread {
  let keyAndOne = ThreadState.keyAndOne.load(ordering: .relaxed)
  guard keyAndOne != 0, let state = pthread_getspecific(.init(truncatingIfNeeded: keyAndOne &- 1))
  else { return makeCurrentThread() }
  return state.assumingMemoryBound(to: ThreadState.self)
}

/// Out of the way of those who have one.
@inline(never)
private func makeCurrentThread() -> CurrentThread {
  let thread = CurrentThread.allocate(capacity: 1)
  let (_, id) = ThreadState.lastID.add(1, ordering: .relaxed)
  thread.initialize(to: ThreadState(id: id))
  pthread_setspecific(ThreadState.key, thread)
  return thread
}

extension UnsafeMutablePointer where Pointee == ThreadState {
  @inlinable
  static var current: CurrentThread { currentThread() }

  /// The number of this thread.
  @inlinable
  var id: UInt32 { pointee.id }

  /// Lets go of an object, and then of what its end lets go of: in a loop, for it may be a long chain.
  func releaseContents(_ object: consuming AnyObject) {
    let isOutermost = pointee.releaseQueue == nil
    if isOutermost { pointee.releaseQueue = [] }
    pointee.releaseQueue?.append(object)
    guard isOutermost else { return }
    while let next = pointee.releaseQueue?.popLast() { withExtendedLifetime(next) {} }
    pointee.releaseQueue = nil
  }

  /// Lets another thread run.
  ///
  /// - Returns: Whether there may be one: a scenario knows if there is none.
  @discardableResult
  func yieldProcessor() -> Bool {
    #if DEBUG
      if let thread = pointee.scheduled { return thread.reach(.yield) }
    #endif
    sched_yield()
    return true
  }
}

extension ThreadState {
  /// The last number given to a thread. Relaxed: that no number is given twice is all.
  fileprivate static let lastID = Atomic<UInt32>(0)

  /// One more than the key under which each thread keeps its state, or zero before there is one: a
  /// constant to begin with, it is read without the check that a lazy global needs. Relaxed: the number is
  /// all, and who reads zero asks for the key itself.
  fileprivate static let keyAndOne = Atomic<UInt>(0)

  /// The key, made by the first to ask; a thread's end frees what it keeps there.
  fileprivate static let key: pthread_key_t = {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key) { state in
      // Darwin imports the argument as non-optional, Glibc as optional.
      let state: UnsafeMutableRawPointer? = state
      guard let thread = state?.assumingMemoryBound(to: ThreadState.self) else { return }
      thread.deinitialize(count: 1)
      thread.deallocate()
    }
    if failure != 0 { trap("The process has no pthread key left for FluxCapacitor to use.") }
    ThreadState.keyAndOne.store(UInt(key) + 1, ordering: .relaxed)
    return key
  }()
}
