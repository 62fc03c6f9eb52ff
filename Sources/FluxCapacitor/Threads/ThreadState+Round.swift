// A thread delivers its changes in a round, when it has no open transaction.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Runs a closure that calls observers. Their writes are delivered after the closure, on this thread.
  @inlinable func whileDelivering(_ body: () -> Void) {
    guard !pointee.isDelivering else { return body() }
    pointee.isDelivering = true
    body()
    pointee.isDelivering = false
    settle()
  }

  /// Delivers this thread's round, unless the thread is already delivering or has an open transaction.
  @inlinable func settle() {
    guard !pointee.round.isEmpty, !pointee.isDelivering, pointee.openTransactions == 0 else {
      return
    }
    deliverRound()
  }

  /// Appends a delivery to the round.
  ///
  /// - Parameter isOwn: Whether this thread made the change. If not, it delivers the
  ///   change of another thread.
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
    /// Records the channels in a cycle of observers that never settles, and then traps with their names.
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

  /// Opens a transaction, or continues the one that is open.
  @inlinable func beginTransaction() { pointee.openTransactions += 1 }

  /// Closes the transaction. If it is the outermost one, commits it, so that its changes can be delivered.
  ///
  /// - Parameter held: The last variable that the transaction has written, if this thread holds its lock.
  ///   The variable is unlocked, unless the transaction continues.
  @inlinable func endTransaction(holding held: TransactionMember? = nil) {
    if pointee.openTransactions == 1, hasOpenPlaces { commitTransaction(holding: held) }
    pointee.openTransactions -= 1
  }

  /// Whether the transaction has to be committed at its end.
  @inlinable var hasOpenPlaces: Bool {
    pointee.openPlaces > 0 || pointee.transaction.use { $0.isJoint }
  }

  @usableFromInline func commitTransaction(holding held: TransactionMember?) {
    let transaction = pointee.transaction
    // The announcements may have appended further places, which belong to no transaction.
    defer { pointee.openPlaces = 0 }
    guard !transaction.use({ $0.end(on: self, holding: held) }) else { return }
    pointee.transaction = .passRetained(Transaction())
    transaction.release()
  }

  /// Delivers the round, and then runs the deferred dispatches. The changes of each dispatch are
  /// delivered before the next one runs.
  @inlinable func finish() {
    settle()
    if !pointee.deferredDispatches.isEmpty, pointee.dispatchDeferrals == 0 {
      runDeferredDispatches()
    }
  }

  /// Runs the deferred dispatches in the order in which they were invoked.
  @usableFromInline func runDeferredDispatches() {
    while let dispatch = pointee.deferredDispatches.popFirst() {
      dispatch(self)
      settle()
    }
  }
}

/// A place in a thread's round: a channel, and a closure that delivers its changes.
///
/// While a transaction is open, its places are the last ones in the round, and they are not committed yet.
/// A place owns one reference to the channel, which `perform` releases.
@usableFromInline struct PendingDelivery {
  /// A closure that delivers the target's changes, as a replacement for a virtual method.
  ///
  /// A virtual method of a generic class always runs unspecialized, which takes ten times as long. The
  /// closures are created in code that knows the type. Except in `deferPastMutation`, they capture nothing,
  /// so they need no allocation.
  @usableFromInline typealias Deliver =
    @Sendable (TransactionMember, Version, CurrentThread) -> Void

  @usableFromInline let target: Unmanaged<TransactionMember>

  /// The version up to which the place delivers changes.
  @usableFromInline var version: Version

  @usableFromInline let deliver: Deliver

  /// Whether the place belongs to a transaction, which commits it at its end.
  @usableFromInline var isOpen: Bool

  /// Whether this is the transaction's first place for the channel.
  @usableFromInline var isFirst = false

  /// The channel, if the transaction has to lock it for this place.
  var member: Unmanaged<TransactionMember>? { isFirst ? target : nil }

  #if DEBUG
    /// The length of the chain of observers that led to this change. Each observer in it made a change when
    /// it was called with the change of the previous one.
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
