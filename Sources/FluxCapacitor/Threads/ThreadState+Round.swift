// A thread delivers its changes in a round, when it has no open transaction.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Runs a closure that calls observers. What they write is delivered after it, on this thread.
  @inlinable func whileDelivering(_ body: () -> Void) {
    guard !pointee.isDelivering else { return body() }
    pointee.isDelivering = true
    body()
    pointee.isDelivering = false
    settle()
  }

  /// Delivers this thread's round, unless it is already delivering or a transaction is open.
  @inlinable func settle() {
    guard !pointee.round.isEmpty, !pointee.isDelivering, pointee.openTransactions == 0 else {
      return
    }
    deliverRound()
  }

  /// Takes the last place in the round.
  ///
  /// - Parameter isOwn: Whether this thread made the change, and isn't delivering another thread's.
  @inlinable func append(_ delivery: PendingDelivery, isOwn: Bool) {
    #if DEBUG
      var delivery = delivery
      if isOwn, pointee.isDelivering { delivery.depth += 1 }
    #endif
    pointee.round.append(delivery)
    if pointee.openTransactions > 0 { pointee.openPlaces += 1 }
  }

  @usableFromInline func deliverRound() {
    pointee.isDelivering = true
    pointee.changesOfOthers = 0
    while let delivery = pointee.round.popFirst() {
      #if DEBUG
        pointee.depth = delivery.depth
        if delivery.depth >= ThreadState.depthOfCycles { noteCycle(through: delivery) }
      #endif
      delivery.perform(on: self)
    }
    #if DEBUG
      pointee.depth = 0
    #endif
    pointee.isDelivering = false
    while let account = pointee.accounts.popLast() { account.end() }
  }

  #if DEBUG
    /// Collects the channels in a cycle of observers that never settles, and traps naming them.
    private func noteCycle(through delivery: PendingDelivery) {
      let place = delivery.target.use { (ObjectIdentifier($0), "\($0)") }
      if !pointee.cycle.contains(where: { $0.channel == place.0 }) { pointee.cycle.append(place) }
      guard delivery.depth >= ThreadState.depthOfCycles + 100 else { return }
      let names = pointee.cycle.map(\.name).joined(separator: " → ")
      trap(
        "Observers never settle: each write by an observer has caused another write, "
          + "\(ThreadState.depthOfCycles) times so far, through \(names).",
        "Set a value only if it has changed, or use removeDuplicates()."
      )
    }
  #endif

  // MARK: Transactions

  /// Opens a transaction, or goes on with the one that is open.
  @inlinable func beginTransaction() { pointee.openTransactions += 1 }

  /// Closes the transaction. The outermost one is committed, so that it may be delivered.
  ///
  /// - Parameter held: The last variable that the transaction has written, if this thread holds its
  ///   lock. It is unlocked, unless the transaction goes on.
  @inlinable func endTransaction(holding held: TransactionMember? = nil) {
    if pointee.openTransactions == 1, hasOpenPlaces { commitTransaction(holding: held) }
    pointee.openTransactions -= 1
  }

  /// Whether there is something to do at the end of the transaction.
  @inlinable var hasOpenPlaces: Bool {
    pointee.openPlaces > 0 || pointee.transaction.use { $0.isJoint }
  }

  @usableFromInline func commitTransaction(holding held: TransactionMember?) {
    let transaction = pointee.transaction
    // The announcements may have taken further places, which belong to no transaction.
    defer { pointee.openPlaces = 0 }
    guard !transaction.use({ $0.end(on: self, holding: held) }) else { return }
    pointee.transaction = .passRetained(Transaction())
    transaction.release()
  }

  /// Delivers the round, and runs the deferred dispatches, each delivered before the next one.
  @inlinable func finish() {
    settle()
    if !pointee.deferredDispatches.isEmpty, pointee.dispatchDeferrals == 0 {
      runDeferredDispatches()
    }
  }

  /// Runs the deferred dispatches, in the order in which they were invoked.
  @usableFromInline func runDeferredDispatches() {
    while let dispatch = pointee.deferredDispatches.popFirst() {
      dispatch(self)
      settle()
    }
  }
}

/// A place in a thread's round: a channel, and how it delivers the change.
///
/// While a transaction is open, its places are the last ones in the round, and each is yet to be
/// committed. A place owns one reference to the channel, which `perform` releases.
@usableFromInline struct PendingDelivery {
  /// Closures rather than virtual methods, which in a generic class always run unspecialized and take
  /// ten times as long. They are created where the type is known and, except in `deferPastMutation`,
  /// capture nothing, so they allocate nothing.
  @usableFromInline typealias Deliver =
    @Sendable (TransactionMember, Version, CurrentThread) -> Void

  @usableFromInline let target: Unmanaged<TransactionMember>

  /// The version up to which changes are delivered.
  @usableFromInline var version: Version

  @usableFromInline let deliver: Deliver

  /// Whether it belongs to an open transaction, which has yet to commit it.
  @usableFromInline var isOpen: Bool

  /// Whether this is the transaction's first place for the channel.
  @usableFromInline var isFirst = false

  /// The channel, if the transaction has to lock it for this place.
  var member: Unmanaged<TransactionMember>? { isFirst ? target : nil }

  #if DEBUG
    /// The length of the chain of observers that led to this change, each of which set something
    /// when it was called with what the previous one had set.
    @usableFromInline var depth = CurrentThread.current.pointee.depth
  #endif

  @inlinable init(
    to target: TransactionMember,
    through version: Version = Version(),
    isOpen: Bool = false,
    by deliver: @escaping Deliver
  ) {
    self.target = .passRetained(target)
    self.version = version
    self.isOpen = isOpen
    self.deliver = deliver
  }

  func perform(on thread: CurrentThread) {
    target.use { deliver($0, version, thread) }
    target.release()
  }
}
