// A thread delivers what it has changed in a round, when no transaction of its is open.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Runs observers; what they set in the meantime is told afterwards, on this thread.
  @inlinable
  func whileDelivering(_ body: () -> Void) {
    guard !pointee.isDelivering else { return body() }
    pointee.isDelivering = true
    body()
    pointee.isDelivering = false
    settle()
  }

  /// Delivers this thread's round, unless it is being delivered or a transaction is open.
  @inlinable
  func settle() {
    guard !pointee.round.isEmpty, !pointee.isDelivering, pointee.openTransactions == 0 else {
      return
    }
    deliverRound()
  }

  /// Takes a place in the round.
  ///
  /// - Parameter isOwn: Whether this thread has made the change, and not come to tell another's.
  @inlinable
  func append(_ delivery: Delivery, isOwn: Bool) {
    #if DEBUG
      var delivery = delivery
      delivery.depth = pointee.depth + (isOwn && pointee.isDelivering ? 1 : 0)
    #endif
    pointee.round.append(delivery)
  }

  /// Takes the first place in the round.
  func prepend(_ delivery: Delivery) {
    #if DEBUG
      var delivery = delivery
      delivery.depth = pointee.depth
    #endif
    pointee.round.prepend(delivery)
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
    if !pointee.accounts.isEmpty { closeAccounts() }
  }

  private func closeAccounts() {
    let accounts = pointee.accounts
    pointee.accounts = []
    for account in accounts { account.end() }
  }

  #if DEBUG
    /// Finds out who takes part in a cycle of observers that never settles, and says so.
    private func noteCycle(through delivery: Delivery) {
      let name = delivery.target._withUnsafeGuaranteedRef { "\($0)" }
      if !pointee.cycle.contains(name) { pointee.cycle.append(name) }
      guard delivery.depth >= ThreadState.depthOfCycles + 100 else { return }
      trap(
        """
        Observers never settle: what one sets makes the next one set something, \
        \(ThreadState.depthOfCycles) times by now, through \
        \(pointee.cycle.joined(separator: " → ")). Set only what has changed, or use \
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

  /// A number that tells a change from all others of all threads.
  @inlinable
  func newTransaction() -> UInt64 {
    pointee.transaction &+= 1
    return pointee.transaction
  }

  /// Closes the transaction; with the outermost one, what it has written may be told.
  @inlinable
  func endTransaction() {
    pointee.openTransactions -= 1
  }

  /// Tells the observers, and runs the dispatches that had to wait, each told before the next.
  @inlinable
  func finish() {
    settle()
    if !pointee.deferredDispatches.isEmpty, pointee.dispatchDeferrals == 0 {
      runDeferredDispatches()
    }
  }

  /// Runs the dispatches that had to wait, in the order in which they were invoked.
  @usableFromInline
  func runDeferredDispatches() {
    while let dispatch = pointee.deferredDispatches.popFirst() {
      dispatch(self)
      settle()
    }
  }
}
