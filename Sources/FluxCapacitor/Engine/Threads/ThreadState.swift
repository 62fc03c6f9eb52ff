import Synchronization

/// The work that one thread has in progress: a transaction, a round of deliveries, and deferred
/// dispatches.
///
/// The operating system stores each thread's state under a key. Reading the state takes 2 ns, while
/// reading a `TaskLocal` takes 34 ns. The state needs no lock, because only its own thread uses the
/// state. Code accesses the state through a pointer, one field at a time. User code that runs between two
/// accesses might access the same state.
@usableFromInline struct ThreadState: ~Copyable {
  /// The number that identifies this thread in locks and channels. The number is never zero, and belongs to no
  /// other live thread.
  @usableFromInline let id: UInt32

  /// The number of nested open transactions, reduces and mutations. All writes belong to the outermost
  /// transaction.
  @usableFromInline var openTransactions = 0

  /// The inputs to which the commit in progress is announced.
  @usableFromInline var inputs = InputList()

  /// The number of reduces, replays, mutations, reads and store inits in progress. The thread defers
  /// dispatches until the number is zero.
  @usableFromInline var dispatchDeferrals = 0

  /// The number of mutations in progress. Each mutation holds the lock of a variable.
  @usableFromInline var openMutations = 0

  /// Whether the next change in place on this thread has to call `watchMainQueue()`. The value is true on the main
  /// queue's thread until a check is pending.
  @usableFromInline var isMainUnwatched = false

  /// The number of store inits in progress. Other threads might be waiting for each of these stores.
  @usableFromInline var openCreations = 0

  /// The route, an `AnyRoute`, of the state that this thread is reducing. Reduces never nest.
  @usableFromInline var reducing: Unmanaged<AnyObject>?

  /// Whether this thread is delivering: its round, or a change that needs no place. Observers run meanwhile,
  /// and their writes add places to the round.
  @usableFromInline var isDelivering = false

  /// Whether code has ever replaced the process's dispatcher. `currentThread()` updates this copy, because inlined code
  /// reads it faster than a variable of the library.
  @usableFromInline var isEverReplaced = false

  /// The address of the dispatcher that replaces the process's dispatcher for the code that has begun the delivery in
  /// progress, or zero. See `Surroundings`.
  @usableFromInline var surroundings: UInt = 0

  /// The thread's queue of deliveries, which the thread makes when it has no open transaction.
  ///
  /// Each observed channel that a transaction has written has a place in this queue, in the order of the
  /// first writes. Each change that had to wait for an earlier change also has a place, here or, if it is forwarded
  /// to a delivering thread, later in that thread's round.
  @usableFromInline var round = FIFO<Place>()

  /// The number of places at the end of `round` that were added during the open transaction, by its writes or
  /// by changes that other threads have forwarded to this thread.
  @usableFromInline var openPlaces: Int32 = 0

  /// The channels of the first so many open places, once `hasPlace` has needed them.
  var written: (places: Int32, channels: Set<UnsafeMutableRawPointer>) = (0, [])

  /// The pieces of work that stand for this thread's deliveries in the records of pending work. The thread
  /// ends these pieces when no delivery is pending.
  var accounts: [PendingWork.Ticket] = []

  /// The approximate number of other threads' changes that this thread has delivered since its round began. A
  /// delivery during which another thread forwards changes counts as one. Withdrawing the offer of a handover
  /// lowers this number.
  @usableFromInline var handoverPressure: Int32 = 0

  /// The number of handover offers that this thread has withdrawn since its round began, at most four.
  var withdrawnOffers: Int32 = 0

  /// The registry of the dispatcher that is replaying a recorded state on this thread, if any.
  @usableFromInline var replaying: ObjectIdentifier?

  /// The dispatches to run when `dispatchDeferrals` is zero, in the order of their invocation.
  @usableFromInline var deferredDispatches = FIFO<(CurrentThread) -> Void>()

  /// The `Tracker` to which this thread reports its reads of channels that have no tracker, or `nil`.
  var spareTracker: Unmanaged<AnyObject>?

  /// The number of times that the Observation framework has hashed a tracker's key path on this thread.
  var hashedPaths = 0

  #if DEBUG
    /// The object through which a test's scheduler controls this thread, if any.
    unowned(unsafe) var scheduled: (any ScheduledThread)?

    // See `heldLocks`.
    @usableFromInline var heldEngineLocks = 0
    @usableFromInline var heldUserLocks = 0

    /// See `lastScheduledLockID`.
    var lastLockID: UnsafeMutablePointer<UInt>?

    /// The length of the chain of observers that has led to the delivery in progress.
    @usableFromInline var depth = 0

    /// The channels in a suspected endless cycle of observers, with their names.
    var cycle: [(channel: ObjectIdentifier, name: String)] = []

    /// A depth that only an endless cycle of observers reaches, in about a second.
    static let depthOfCycles = 1_000_000
  #endif

  /// The objects that `release(_:)` has to release after the release in progress.
  var releaseQueue: [AnyObject]?

  @usableFromInline init(id: UInt32) { self.id = id }

  deinit { spareTracker?.release() }
}

/// The state of the current thread.
@usableFromInline typealias CurrentThread = UnsafeMutablePointer<ThreadState>

/// Returns the current thread's state. `currentThread()` is a function, because a static property would
/// be called through a thunk.
@usableFromInline func currentThread() -> CurrentThread {
  let keyAndOne = ThreadState.keyAndOne.load(ordering: .relaxed)
  guard keyAndOne != 0, let state = ThreadState.ofThread(under: keyAndOne &- 1)
  else { return makeCurrentThread() }
  let thread = state.assumingMemoryBound(to: ThreadState.self)
  if Surroundings.isEverReplaced.load(ordering: .relaxed) { thread.pointee.isEverReplaced = true }
  return thread
}

#if DEBUG
  extension ThreadState {
    /// The current thread's state, if the thread has one. Asking for it creates none, and so uses no lock.
    static var existing: CurrentThread? {
      let keyAndOne = keyAndOne.load(ordering: .relaxed)
      guard keyAndOne != 0, let state = ofThread(under: keyAndOne &- 1) else { return nil }
      return state.assumingMemoryBound(to: ThreadState.self)
    }
  }
#endif

/// Creates the current thread's state. This function is separate, because inlining it would slow down the
/// fast path of `currentThread()`.
@inline(never) private func makeCurrentThread() -> CurrentThread {
  let thread = CurrentThread.allocate(capacity: 1)
  thread.initialize(to: ThreadState(id: ThreadState.takeID()))
  ThreadState.setOfThread(thread, under: ThreadState.key)
  // `isCurrent` needs the thread's state, so this assignment comes last.
  thread.pointee.isMainUnwatched = MainQueue.isCurrent
  thread.pointee.isEverReplaced = Surroundings.isEverReplaced.load(ordering: .relaxed)
  return thread
}

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Releases an object, and then the objects that its deinit passes to this method.
  ///
  /// This method uses a loop, because nested releases along a long chain would overflow the stack.
  func release(_ object: consuming AnyObject) {
    let isOutermost = pointee.releaseQueue == nil
    if isOutermost { pointee.releaseQueue = [] }
    pointee.releaseQueue?.append(object)
    guard isOutermost else { return }
    while let next = pointee.releaseQueue?.popLast() { withExtendedLifetime(next) {} }
    pointee.releaseQueue = nil
  }

  /// Notes the dispatcher of the code that begins a delivery, for all observers that this thread is about to call.
  @inlinable func noteSurroundings() {
    if pointee.isEverReplaced { lookUpSurroundings() }
  }

  /// Reads a `TaskLocal`, which takes long.
  @usableFromInline func lookUpSurroundings() {
    pointee.surroundings = address(of: Surroundings.replacementInTask)
  }

  /// Lets another thread run.
  ///
  /// - Returns: Whether another thread might be able to run. The result is false only in a scenario in
  ///   which no other thread can run.
  @discardableResult func yieldProcessor() -> Bool {
    #if DEBUG
      if let thread = pointee.scheduled { return thread.reach(.yield) }
    #endif
    yieldToOtherThreads()
    return true
  }
}

extension ThreadState {
  // `idLock` guards the two variables below.
  private static let idLock = Lock(isOfProcess: true)
  nonisolated(unsafe) private static var lastID: UInt32 = 0

  /// The numbers of ended threads. A `Deliverer` has 30 bits for a number, so later threads reuse these numbers.
  nonisolated(unsafe) private static var freeIDs: [UInt32] = []

  fileprivate static func takeID() -> UInt32 {
    idLock.withUnscheduledLock {
      if let id = freeIDs.popLast() { return id }
      lastID += 1
      return lastID
    }
  }

  /// The key of the threads' states plus one, or zero before the key is created.
  ///
  /// The initial value is a constant, so reading this property skips the check that a lazy global needs.
  /// Relaxed ordering is enough, because no other memory depends on this number. A thread that reads zero
  /// uses `key` instead.
  fileprivate static let keyAndOne = Atomic<UInt>(0)

  /// The key of the threads' states, which is created on first use.
  fileprivate static let key: UInt = {
    guard let key = makeKey() else {
      trap("FluxCapacitor can't get a key for thread-local storage: the process has none left.")
    }
    ThreadState.keyAndOne.store(key + 1, ordering: .relaxed)
    return key
  }()

  /// Frees the state of a thread that is ending.
  ///
  /// A thread that ends inside a transaction or a mutation leaves its number in locks, so the number stays taken.
  static func free(_ state: UnsafeMutableRawPointer?) {
    guard let thread = state?.assumingMemoryBound(to: ThreadState.self) else { return }
    let (id, isFree) = (thread.pointee.id, thread.pointee.openTransactions == 0)
    if isFree { idLock.withUnscheduledLock { freeIDs.append(id) } }
    thread.deinitialize(count: 1)
    thread.deallocate()
  }
}
