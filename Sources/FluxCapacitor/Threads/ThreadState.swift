import Synchronization

/// The work that one thread has in progress: a transaction, a round of deliveries, and deferred dispatches.
///
/// The operating system stores it under a key. Reading it takes 2 ns, where a `TaskLocal` takes 34. Only
/// its own thread uses it, so it needs no lock. Code accesses it through a pointer, one field at a time,
/// because user code that runs in between may access it too.
@usableFromInline struct ThreadState: ~Copyable {
  /// This thread's number in locks and channels, which is never zero.
  @usableFromInline let id: UInt32

  /// The number of open transactions, reduces and mutations. Writes join the outermost one.
  @usableFromInline var openTransactions = 0

  /// The outermost transaction if one is open, or else the object for the next one.
  @usableFromInline var transaction = Unmanaged.passRetained(Transaction())

  /// The listeners of the transaction that is being committed.
  @usableFromInline var listeners = ListenerList()

  /// The number of open reduces, replays, mutations, reads, and inits of stores.
  /// Dispatches wait for their end.
  @usableFromInline var dispatchDeferrals = 0

  /// The number of open mutations. Each of them holds the lock of a variable.
  @usableFromInline var openMutations = 0

  /// The number of running inits of stores. Other threads may be waiting for each of these stores.
  @usableFromInline var openCreations = 0

  /// The route of the state that this thread is reducing. Reduces never nest.
  @usableFromInline var reducing: Unmanaged<AnyReduction>?

  /// Whether this thread is calling observers. Their writes take places in the round.
  @usableFromInline var isDelivering = false

  /// The deliveries that this thread makes when no transaction is open.
  ///
  /// Each channel that a transaction has written to has a place, in the order of the first writes. Each
  /// change that had to wait for another one has a place too.
  @usableFromInline var round = FIFO<PendingDelivery>()

  /// The number of places that were taken during the open transaction. They are at the end of the round.
  @usableFromInline var openPlaces: Int32 = 0

  /// The pending work that the round is part of. Each entry has a closure to call at the end of the round.
  var accounts: [(of: PendingWork, end: @Sendable () -> Void)] = []

  /// The number of other threads' changes that this thread has delivered in this round. If the thread has
  /// withdrawn an offer of a handover, it counts on from a lower number.
  @usableFromInline var changesOfOthers: Int32 = 0

  /// The registry of the dispatcher that is replaying a recorded state; see `Dispatcher.replay(_:)`.
  @usableFromInline var replaying: ObjectIdentifier?

  /// The dispatches that wait until `dispatchDeferrals` is zero, in the order of their invocation.
  @usableFromInline var deferredDispatches = FIFO<(CurrentThread) -> Void>()

  /// The object that detects whether a read is tracked.
  var tracking: Unmanaged<AnyReadDetector>?

  #if DEBUG
    /// The object by which a scheduler decides when this thread continues, if a scheduler does so.
    unowned(unsafe) var scheduled: (any ScheduledThread)?

    /// The depth of the delivery in progress.
    @usableFromInline var depth = 0

    /// The channels in a suspected cycle of observers, and their names.
    var cycle: [(channel: ObjectIdentifier, name: String)] = []

    /// A depth that no chain of observers reaches if it ends. A cycle reaches it in about a second.
    static let depthOfCycles = 1_000_000
  #endif

  /// The objects to release after the release in progress; see `release(_:)`.
  var releaseQueue: [AnyObject]?

  @usableFromInline init(id: UInt32) { self.id = id }

  deinit {
    transaction.release()
    tracking?.release()
  }
}

/// The route of the state that a thread is reducing. Its subclass is in a later folder.
@usableFromInline class AnyReduction {}

/// An object that detects whether Observation tracks a thread's reads. Its subclass is in a later folder.
@usableFromInline class AnyReadDetector {}

/// The state of the current thread.
@usableFromInline typealias CurrentThread = UnsafeMutablePointer<ThreadState>

/// Returns the current thread's state. It is a function because a static property would
/// be called through a thunk.
@usableFromInline func currentThread() -> CurrentThread {
  let keyAndOne = ThreadState.keyAndOne.load(ordering: .relaxed)
  guard keyAndOne != 0, let state = ThreadState.ofThread(under: keyAndOne &- 1)
  else { return makeCurrentThread() }
  return state.assumingMemoryBound(to: ThreadState.self)
}

/// Creates the current thread's state. It is a separate function because it would slow down the fast
/// path of `currentThread()`.
@inline(never) private func makeCurrentThread() -> CurrentThread {
  let thread = CurrentThread.allocate(capacity: 1)
  let (_, id) = ThreadState.lastID.add(1, ordering: .relaxed)
  thread.initialize(to: ThreadState(id: id))
  ThreadState.setOfThread(thread, under: ThreadState.key)
  return thread
}

extension UnsafeMutablePointer where Pointee == ThreadState {
  @inlinable static var current: CurrentThread { currentThread() }

  @inlinable var id: UInt32 { pointee.id }

  /// Releases an object, and then the objects that its deinit passes to this method.
  ///
  /// It is a loop, because nested releases along a long chain would overflow the stack.
  func release(_ object: consuming AnyObject) {
    let isOutermost = pointee.releaseQueue == nil
    if isOutermost { pointee.releaseQueue = [] }
    pointee.releaseQueue?.append(object)
    guard isOutermost else { return }
    while let next = pointee.releaseQueue?.popLast() { withExtendedLifetime(next) {} }
    pointee.releaseQueue = nil
  }

  /// Lets another thread run.
  ///
  /// - Returns: Whether there may be another thread that can run. A scenario knows if there isn't.
  @discardableResult func yieldProcessor() -> Bool {
    #if DEBUG
      if let thread = pointee.scheduled { return thread.reach(.yield) }
    #endif
    yieldToOtherThreads()
    return true
  }
}

extension ThreadState {
  /// The last number given to a thread. The ordering is relaxed, because only uniqueness matters. The
  /// number in a `Deliverer` has room for 2^30 threads.
  fileprivate static let lastID = Atomic<UInt32>(0)

  /// One more than the key under which each thread keeps its state, or zero before there is a key.
  ///
  /// Its initial value is a constant, so reading it skips the check that a lazy global needs. The ordering
  /// is relaxed: only the number itself is read through it, and a thread that reads zero uses `key`.
  fileprivate static let keyAndOne = Atomic<UInt>(0)

  /// The key, created on first use.
  fileprivate static let key: UInt = {
    guard let key = makeKey() else {
      trap("FluxCapacitor can't get a key for thread-local storage: the process has none left.")
    }
    ThreadState.keyAndOne.store(key + 1, ordering: .relaxed)
    return key
  }()

  /// Frees the state of a thread that is ending.
  static func free(_ state: UnsafeMutableRawPointer?) {
    guard let thread = state?.assumingMemoryBound(to: ThreadState.self) else { return }
    thread.deinitialize(count: 1)
    thread.deallocate()
  }
}
