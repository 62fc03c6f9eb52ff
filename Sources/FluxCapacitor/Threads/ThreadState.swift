import Synchronization

/// What one thread has in progress: a transaction, a round of deliveries, deferred dispatches.
///
/// It is stored under a key of the system's, which takes 2 ns to read where a `TaskLocal` takes 34. Only
/// its own thread uses it, so it needs no lock. It is used through a pointer, one field at a time,
/// because user code that runs in between may come back to it.
@usableFromInline struct ThreadState: ~Copyable {
  /// This thread's number in locks and channels; never zero.
  @usableFromInline let id: UInt32

  /// How many transactions, reduces and mutations are open. Writes join the outermost one.
  @usableFromInline var openTransactions = 0

  /// The outermost transaction, if one is open, or else the next one.
  @usableFromInline var transaction = Unmanaged.passRetained(Transaction())

  /// The listeners of the transaction that is being committed.
  @usableFromInline var listeners = ListenerList()

  /// How many reduces, mutations, reads and inits of stores are open. Dispatches wait for them.
  @usableFromInline var dispatchDeferrals = 0

  /// How many bodies of `modify` are open. Each holds the lock of a variable.
  @usableFromInline var openMutations = 0

  /// How many inits of stores are running. Other threads may be waiting for each of those stores.
  @usableFromInline var openCreations = 0

  /// The route of the state that is being reduced on this thread; reduces never nest.
  @usableFromInline var reducing: Unmanaged<AnyReduction>?

  /// Whether this thread is calling observers. What they set takes a place in the round.
  @usableFromInline var isDelivering = false

  /// What this thread delivers when no transaction is open: a place for each channel that a
  /// transaction has written to, in the order of the first writes, and for each change that had to
  /// wait for another.
  @usableFromInline var round = FIFO<PendingDelivery>()

  /// How many of the places, at the end of the round, have been taken in the open transaction.
  @usableFromInline var openPlaces: Int32 = 0

  /// The pending work that the round is part of, each with what to call at the end of the round.
  var accounts: [(of: PendingWork, end: @Sendable () -> Void)] = []

  /// How many changes of others it has delivered in this round since it last offered a handover.
  @usableFromInline var changesOfOthers: Int32 = 0

  /// The registry whose dispatcher is replaying a recorded state; see `Dispatcher.replay(_:)`.
  @usableFromInline var replaying: ObjectIdentifier?

  /// Dispatches that wait until `dispatchDeferrals` is zero, in the order of their invocation.
  @usableFromInline var deferredDispatches = FIFO<(CurrentThread) -> Void>()

  /// Detects whether a read is tracked.
  var tracking: Unmanaged<AnyReadDetector>?

  #if DEBUG
    /// How a scheduler decides when this thread goes on, if one does.
    unowned(unsafe) var scheduled: (any ScheduledThread)?

    /// The depth of the delivery in progress.
    @usableFromInline var depth = 0

    /// The channels in what seems to be a cycle of observers, and their names.
    var cycle: [(channel: ObjectIdentifier, name: String)] = []

    /// Longer than any chain of observers that ends; a cycle gets here in about a second.
    static let depthOfCycles = 1_000_000
  #endif

  /// What remains to be released when the release in progress has ended; see `release(_:)`.
  var releaseQueue: [AnyObject]?

  @usableFromInline init(id: UInt32) { self.id = id }

  deinit {
    transaction.release()
    tracking?.release()
  }
}

/// The route of the state that a thread is reducing. Its type is in a layer above.
@usableFromInline class AnyReduction {}

/// Detects whether a thread's reads are tracked by Observation. Its type is in a layer above.
@usableFromInline class AnyReadDetector {}

/// The state of the current thread.
@usableFromInline typealias CurrentThread = UnsafeMutablePointer<ThreadState>

/// Returns the current thread's state. A static property would be called through a thunk.
@usableFromInline func currentThread() -> CurrentThread {
  let keyAndOne = ThreadState.keyAndOne.load(ordering: .relaxed)
  guard keyAndOne != 0, let state = ThreadState.ofThread(under: keyAndOne &- 1)
  else { return makeCurrentThread() }
  return state.assumingMemoryBound(to: ThreadState.self)
}

/// Kept out of `currentThread()`, whose fast path it would slow down.
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

  /// Releases an object, and then what its deinit passes here in turn: in a loop, because a long
  /// chain would overflow the stack.
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
  /// - Returns: Whether there may be one; a scenario knows when there is none.
  @discardableResult func yieldProcessor() -> Bool {
    #if DEBUG
      if let thread = pointee.scheduled { return thread.reach(.yield) }
    #endif
    yieldToOtherThreads()
    return true
  }
}

extension ThreadState {
  /// The last number given to a thread. Relaxed: all that matters is that no number is given twice.
  /// A deliverer's number has room for 2^30 threads.
  fileprivate static let lastID = Atomic<UInt32>(0)

  /// One more than the key under which each thread keeps its state, or zero before there is a key.
  /// Its initial value is a constant, so it is read without the check that a lazy global needs.
  /// Relaxed: nothing but the number is read through it, and a thread that reads zero uses `key`.
  fileprivate static let keyAndOne = Atomic<UInt>(0)

  /// The key, created on first use.
  fileprivate static let key: UInt = {
    guard let key = makeKey() else {
      trap("FluxCapacitor can't get a key for thread-local storage: the process has none left.")
    }
    ThreadState.keyAndOne.store(key + 1, ordering: .relaxed)
    return key
  }()

  /// Frees the state of a thread that ends.
  static func free(_ state: UnsafeMutableRawPointer?) {
    guard let thread = state?.assumingMemoryBound(to: ThreadState.self) else { return }
    thread.deinitialize(count: 1)
    thread.deallocate()
  }
}
