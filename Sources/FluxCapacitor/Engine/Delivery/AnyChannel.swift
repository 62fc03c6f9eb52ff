import Synchronization

/// The part of a channel that doesn't depend on the element type. The subclass is `Channel`.
///
/// The channel's observations form a ring in the order in which they subscribed. Each observation
/// contains its own links, so subscribing and cleaning are O(1) and allocate no memory. The ring owns one
/// reference to each observation.
///
/// A *region* consists of a channel and the constants that derive from that channel alone. All channels
/// of a region use the lock, the version and the deliverer of the region's first channel. A constant that
/// derives from several regions is the first channel of a new region.
///
/// The region's lock guards these invariants:
/// - The `deliverer` (the delivering thread) walks the region's rings of observations without the lock.
///   Therefore, other threads only flag observations as cleaned. After the delivery, the delivering
///   thread removes the flagged observations. Other threads may append observations to a ring during a
///   walk. The walk ends at the observation that was the last one when the delivery began.
/// - Each change in the backlog has a place in some thread's round (the thread's queue of deliveries), is
///   `forwarded` to the delivering thread, or belongs to an open transaction. When a place ends, the delivering
///   thread adds a place for all changes up to `forwarded`.
/// - A variable's `pendingWrite` names the writer while an open transaction has an uncommitted write to the variable.
///   After the commit, the `pendingWrite` says that the value waits for delivery, until the value is delivered or
///   appended to the backlog. A variable that needs no delivery has no such value.
/// - No user code runs under the region's lock, except the body of a `modify`, and the hashes and `==` of a
///   table's ids and rows.
@usableFromInline class AnyChannel: CustomStringConvertible, @unchecked Sendable {
  @usableFromInline final let lock = Lock()

  /// What becomes of the variable's last write.
  @exclusivity(unchecked) @usableFromInline final var pendingWrite = PendingWrite()

  /// The number of writes, events, or changes announced to a derived constant so far.
  @exclusivity(unchecked) @usableFromInline final var version = Version.beginning

  /// The first observation in the ring.
  @exclusivity(unchecked) @usableFromInline final var firstObservation: Unmanaged<Dust>?

  /// The thread that is delivering the channel, if any.
  @exclusivity(unchecked) @usableFromInline final var deliverer = Deliverer()

  /// The number of variables and constants, or of sinks, through which code can use the channel. The two
  /// highest bits are the flags `derived` and `owned`. A variable or a sink is closed when the number reaches
  /// zero.
  @usableFromInline final let handles: ScheduledAtomic<UInt32>

  /// The properties that few channels need, as `ChannelExtras` with the channel's element type, and the
  /// read-only side of the channel's variable.
  @usableFromInline final let extrasWord = ExtrasWord()

  @inlinable init(handles: UInt32 = 1) {
    self.handles = ScheduledAtomic(handles)
  }

  /// The flag of a derived constant's channel, which is never closed.
  @inlinable static var derived: UInt32 { 1 << 31 }

  /// The handle that a table has on each of its parts. It is a flag, so that the number of the other handles
  /// tells the table when to release the part.
  @inlinable static var owned: UInt32 { 1 << 30 }

  /// Whether the channel belongs to a derived constant. Relaxed ordering is enough, because this bit
  /// never changes.
  @inlinable final var isDerived: Bool {
    handles.unscheduled.load(ordering: .relaxed) & AnyChannel.derived != 0
  }

  /// Whether the channel is a part of an existing table. Relaxed ordering is enough, because a caller that
  /// sees an old value only lets the part check again whether the table has to release the part.
  final var isOwned: Bool { handles.unscheduled.load(ordering: .relaxed) & AnyChannel.owned != 0 }

  /// The first channel of the region. All channels of the region share the lock, the version and the
  /// deliverer of the first channel.
  @usableFromInline var regionChannel: AnyChannel { self }

  /// Whether a delivery of the channel reaches an observer or an active constant of the same region. The
  /// caller must hold the region's lock.
  ///
  /// Constants of other regions don't count here, because the commit itself gives them the variable's value.
  /// So the place of a variable that only such constants use delivers nothing. The transaction adds the place
  /// nevertheless, because the commit has to lock the variable and announce its change.
  @inlinable final var hasLocalDependents: Bool {
    firstObservation != nil || unretainedNode?.use { $0.localDependentCount > 0 } ?? false
  }

  /// Whether an observer or an active constant of any region uses the channel, so that a write has to become
  /// a change. The caller must hold the region's lock.
  @inlinable final var hasDependents: Bool {
    firstObservation != nil || unretainedNode?.use { $0.dependentCount > 0 } ?? false
  }

  /// The channel's node in the graph of derived constants, if the channel has one. For a variable, the caller must hold the
  /// variable's lock.
  @usableFromInline var node: Node? {
    extrasWord.extras?.use { $0.node?.takeUnretainedValue() }
  }

  /// The node as an unretained reference, because the channel keeps it.
  @inlinable final var unretainedNode: Unmanaged<Node>? {
    if let node = extrasWord.extras?.use({ $0.node }) { return node }
    return isDerived ? node.map { .passUnretained($0) } : nil
  }

  /// The channel's name in the messages of traps.
  @usableFromInline var description: String { "\(Self.self)" }

  /// Turns the writes of an open transaction into a change. The caller must hold `lock`.
  ///
  /// - Parameter place: The index of the transaction's place in the thread's round.
  /// - Returns: The version up to which the place delivers the channel's changes.
  @usableFromInline func commit(at place: Int32, on thread: CurrentThread) -> Version { .beginning }

  /// Whether this channel is a part of another one, which every thread locks before it writes the part.
  func isPart(of other: AnyChannel) -> Bool { false }

  /// The variable's value as an existential. The caller must hold the variable's lock.
  var anyValue: any Sendable { trap("\(self) is not a variable.") }

  /// Whether releasing a copy of the variable's value can run a `deinit`.
  @usableFromInline var holdsObjects: Bool { true }

  /// Returns the channel's extras, and creates the extras on first use. The caller must hold
  /// the region's lock.
  func ensureAnyExtras() -> AnyChannelExtras { trap("\(self) has no extras.") }

  /// Whether no thread is delivering the channel and its backlog is empty. The caller must hold the region's
  /// lock.
  @inlinable final var isIdle: Bool {
    !deliverer.isDelivering && !(extrasWord.extras?.use { $0.hasBacklog } ?? false)
  }

  /// Ends all observations, because the last handle has been dropped.
  @usableFromInline func close() {
    var detached = Detached()
    acquire()
    closeIfIdle(into: &detached)
    lock.unlock()
    detached.release()
  }

  /// Subscribes a closure of the library that is called after each change of the variable.
  func observe(calling didChange: @escaping @Sendable () -> Void) -> Dust {
    trap("\(self) is not a variable.")
  }

  /// Called when neither an observer nor an observed constant uses the channel any longer. A part of a table
  /// receives this call whenever an observer has left or a tracked read may have ended, and decides for
  /// itself. The caller must not hold the region's lock.
  func observersMayHaveLeft() {}
}

// MARK: - Locking

extension AnyChannel {
  /// Acquires the lock, or traps if this thread already holds the lock for a mutation.
  @inlinable final func acquire() {
    if lock.isHeldByCurrentThread { trapInMutation() }
    lock.lock()
  }

  @usableFromInline final func trapInMutation() -> Never {
    trap(
      "\(self) was used inside its own mutation.",
      "Use the value that `modify` passes to its closure, or read the variable before the mutation."
    )
  }

  /// Lets later writes of the variable wait for a thread that has tried in vain to lock it together with others.
  final func askForPatience(after rounds: Int) {
    acquire()
    pendingWrite.patience = max(pendingWrite.patience, UInt8(min(20, 8 + rounds / 16)))
    lock.unlock()
  }

  /// Lets a thread that waits for several variables pass. Inside another mutation, whose lock that thread might need, this
  /// thread yields less often. The caller holds `lock`.
  ///
  /// - Parameter holder: The number of this thread if it runs user code under the lock, or zero.
  @usableFromInline @inline(never)
  final func letCommitPass(holder: UInt32, on thread: CurrentThread) {
    let isNested = thread.pointee.openMutations > (holder == 0 ? 0 : 1)
    for _ in 0..<1 << min(Int(pendingWrite.patience), isNested ? 12 : 20) {
      if pendingWrite.patience == 0 { return }
      lock.unlock()
      thread.yieldProcessor()
      if holder == 0 { lock.lock() } else { lock.lock(holder: holder) }
    }
  }

  /// Notes that this thread's open transaction has written the channel. The caller must hold `lock`.
  ///
  /// - Returns: Whether the transaction has no place for the channel yet, so that the caller has to add one.
  @inlinable final func noteWrite(on thread: CurrentThread) -> Bool {
    if pendingWrite.writer == thread.pointee.id { return false }
    pendingWrite.writer = thread.pointee.id
    if pendingWrite.transactions > 0, thread.hasPlace(for: self) { return false }
    pendingWrite.transactions += 1
    return true
  }
}

// MARK: - Handles

extension AnyChannel {
  /// Increments the number of handles. Relaxed ordering is enough, because the calling thread already has
  /// a handle, which keeps the number above zero.
  @inlinable final func addHandle() { handles.unscheduled.add(1, ordering: .relaxed) }

  /// Drops a handle, and closes the channel when no other handle but a table's is left.
  ///
  /// With acquire-release ordering, all work through any of the handles happens before the channel is
  /// closed.
  @inlinable final func dropHandle(_ handle: UInt32 = 1) {
    recordOperation("releases", self)
    let left = handles.write { $0.subtract(handle, ordering: .acquiringAndReleasing) }.newValue
    if !AnyChannel.hasHandles(left) { close() }
  }

  /// Whether a number from `handles` counts at least one handle.
  @inlinable static func hasHandles(_ handles: UInt32) -> Bool { handles & (owned &- 1) != 0 }

  /// Whether the last handle has been dropped.
  ///
  /// The delivering thread reads this property under the lock. The thread that drops the last handle also
  /// takes the lock. The last of these two threads to take the lock removes the observations.
  @inlinable final var isClosed: Bool { handles.unscheduled.load(ordering: .acquiring) == 0 }
}

// MARK: - ChannelExtras and the read-only side

extension AnyChannel {
  /// Returns the read-only side of the channel's variable, and creates it on first use.
  ///
  /// The caller must hold a reference to the variable, because the variable's deinit releases the
  /// read-only side.
  ///
  /// This method takes no lock, because user code calls it in the mutation of any variable. Two threads can
  /// create a read-only side simultaneously. Then one of the objects is released, and both threads return
  /// the other one.
  @inlinable final func readOnlySide<Side: AnyObject>(_ create: () -> Side) -> Side {
    let side = extrasWord.readOnlySide ?? extrasWord.add(readOnlySide: create())
    // The object is a `Side`, because all calls for one channel have the same type.
    return Unmanaged.fromOpaque(side).takeUnretainedValue()
  }

  /// Releases the read-only side, because the variable is being deallocated.
  @inlinable final func releaseReadOnlySide() {
    if let side = extrasWord.readOnlySide { extrasWord.release(readOnlySide: side) }
  }
}

/// What becomes of a variable's last write, and how many open transactions have written the variable.
///
/// | last write | the value | the next write |
/// |---|---|---|
/// | none | requires no further work | – |
/// | written | becomes a change when the writing transaction ends, or when another transaction that has written the variable ends first | replaces the value |
/// | waits for delivery | is a change with a place in a thread's round | first appends the value to the backlog |
///
/// Another thread's write during the transaction replaces the value too, and belongs to the same change.
@usableFromInline struct PendingWrite {
  /// The number of the thread whose open transaction wrote the variable last, or zero if no write waits for
  /// the end of a transaction.
  @usableFromInline var writer: UInt32 = 0

  /// The number of open transactions that have a place for the variable. Each of them belongs to a thread of
  /// its own.
  @usableFromInline var transactions: UInt16 = 0

  /// Whether the value is a change that waits in a thread's round.
  @usableFromInline var waitsForDelivery = false

  /// How often a write yields to a thread that has long tried to lock this variable together with others, as the exponent of
  /// a power of two, or zero. The number is finite, because the body of a `modify` may wait for the write.
  @usableFromInline var patience: UInt8 = 0

  @inlinable init() {}

  @inlinable var isWritten: Bool { writer != 0 }
}
