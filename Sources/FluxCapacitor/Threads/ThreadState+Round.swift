// A thread delivers its changes in a round, when it has no open transaction.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Runs a closure that calls observers. What they write is delivered after it, on this thread.
  @inlinable
  func whileDelivering(_ body: () -> Void) {
    guard !pointee.isDelivering else { return body() }
    pointee.isDelivering = true
    body()
    pointee.isDelivering = false
    settle()
  }

  /// Delivers this thread's round, unless it is already delivering or a transaction is open.
  @inlinable
  func settle() {
    guard !pointee.round.isEmpty, !pointee.isDelivering, pointee.openTransactions == 0 else {
      return
    }
    deliverRound()
  }

  /// Takes the last place in the round.
  ///
  /// - Parameter isOwn: Whether this thread made the change, and isn't delivering another thread's.
  @inlinable
  func append(_ delivery: PendingDelivery, isOwn: Bool) {
    #if DEBUG
      var delivery = delivery
      if isOwn, pointee.isDelivering { delivery.depth += 1 }
    #endif
    pointee.round.append(delivery)
  }

  @usableFromInline
  func deliverRound() {
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
      let place = delivery.target._withUnsafeGuaranteedRef { (ObjectIdentifier($0), "\($0)") }
      if !pointee.cycle.contains(where: { $0.channel == place.0 }) { pointee.cycle.append(place) }
      guard delivery.depth >= ThreadState.depthOfCycles + 100 else { return }
      trap(
        """
        Observers never settle: what one sets makes the next one set something, \
        \(ThreadState.depthOfCycles) times by now, through \
        \(pointee.cycle.map(\.name).joined(separator: " → ")). Set only what has changed, or use \
        removeDuplicates().
        """
      )
    }
  #endif

  // MARK: Transactions

  /// Opens a transaction, or joins the one that is open.
  @inlinable
  func beginTransaction() {
    if pointee.openTransactions == 0 { _ = newTransaction() }
    pointee.openTransactions += 1
  }

  /// Returns a number that no other change has, on any thread.
  @inlinable
  func newTransaction() -> UInt64 {
    pointee.transaction &+= 1
    return pointee.transaction
  }

  /// Closes the transaction. With the outermost one, what it has written may be delivered.
  @inlinable
  func endTransaction() {
    pointee.openTransactions -= 1
  }

  /// Delivers the round, and runs the deferred dispatches, each delivered before the next one.
  @inlinable
  func finish() {
    settle()
    if !pointee.deferredDispatches.isEmpty, pointee.dispatchDeferrals == 0 {
      runDeferredDispatches()
    }
  }

  /// Runs the deferred dispatches, in the order in which they were invoked.
  @usableFromInline
  func runDeferredDispatches() {
    while let dispatch = pointee.deferredDispatches.popFirst() {
      dispatch(self)
      settle()
    }
  }
}
