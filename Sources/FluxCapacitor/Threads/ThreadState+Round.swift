// A thread's round is the queue of its pending deliveries. The thread makes these deliveries when it has
// no open transaction.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Runs a closure that calls observers. This thread delivers the observers' writes after the closure.
  @inlinable func whileDelivering(_ body: () -> Void) {
    guard !pointee.isDelivering else { return body() }
    pointee.isDelivering = true
    body()
    pointee.isDelivering = false
    settle()
  }

  /// Makes all pending deliveries of this thread, unless the thread is already delivering or has an open
  /// transaction.
  @inlinable func settle() {
    guard !pointee.round.isEmpty, !pointee.isDelivering, pointee.openTransactions == 0 else {
      return
    }
    deliverRound()
  }

  /// Appends a delivery to this thread's queue of deliveries.
  ///
  /// - Parameter isOwn: Whether this thread made the change that it is going to deliver.
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

  /// Ends a piece of work when this thread has no pending delivery.
  @usableFromInline func endAfterRound(_ piece: PendingWork.Ticket) {
    if pointee.round.isEmpty, pointee.openPlaces == 0 {
      piece.end()
    } else {
      pointee.accounts.append(piece)
    }
  }

  #if DEBUG
    /// Records the channels in an endless cycle of observers, and then traps with the channels' names.
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

  /// Makes all pending deliveries, and then runs the deferred dispatches. The thread delivers the changes
  /// of each dispatch before running the next dispatch.
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

/// A place in a thread's round (the queue of its deliveries). A place contains a channel, and a closure
/// that delivers the channel's changes.
///
/// While a transaction is open, the transaction's uncommitted places are the last entries in the queue. A
/// place owns one reference to its channel, and `perform` releases that reference.
@usableFromInline struct PendingDelivery {
  /// A closure that delivers the target's changes, as a replacement for a virtual method.
  ///
  /// A virtual method of a generic class always runs unspecialized, which takes ten times as long. These
  /// closures are specialized, because they are created in code that knows the element type. Except in
  /// `deferPastMutation`, the closures capture nothing, so the closures need no allocation.
  @usableFromInline typealias Deliver =
    @Sendable (AnyObject, Version, CurrentThread) -> Void

  /// The channel, an `AnyChannel`.
  @usableFromInline let target: Unmanaged<AnyObject>

  /// The version up to which the place delivers changes.
  @usableFromInline var version: Version

  @usableFromInline let deliver: Deliver

  /// Whether a transaction has added this place and commits the place when the transaction ends.
  @usableFromInline var isUncommitted: Bool

  /// Whether this place is the open transaction's first place for the channel.
  @usableFromInline var isListing: Bool

  #if DEBUG
    /// The length of the chain of observers that has led to this change. In such a chain, the change that
    /// one observer makes causes the call of the next observer.
    @usableFromInline var depth = CurrentThread.current.pointee.depth
  #endif

  @inlinable init(
    to target: AnyObject,
    through version: Version = Version(),
    isUncommitted: Bool = false,
    by deliver: @escaping Deliver
  ) {
    self.target = .passRetained(target)
    self.version = version
    self.isUncommitted = isUncommitted
    isListing = isUncommitted
    self.deliver = deliver
  }

  func perform(on thread: CurrentThread) {
    target.use { deliver($0, version, thread) }
    target.release()
  }
}
