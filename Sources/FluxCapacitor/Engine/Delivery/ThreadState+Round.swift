// A thread's round is the queue of its deliveries, and each entry is a *place*. The thread makes these
// deliveries when it has no open transaction.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Runs a closure that calls observers. This thread delivers the observers' writes after the closure.
  @inlinable func whileDelivering(_ body: () -> Void) {
    guard !pointee.isDelivering else { return body() }
    pointee.isDelivering = true
    noteSurroundings()
    body()
    pointee.isDelivering = false
    deliverPlaces()
  }

  /// Makes all pending deliveries of this thread, unless the thread is already delivering, has an open transaction or runs
  /// the initializer of a store.
  @inlinable func deliverPlaces() {
    if !pointee.round.isEmpty, !pointee.isDelivering, !holdsLock { deliverRound() }
  }

  /// Whether this thread holds a lock under which code of the user runs: a turn, a variable's or a store's. Then it delivers
  /// no change, which might be another thread's.
  @inlinable var holdsLock: Bool {
    pointee.openTransactions > 0 || pointee.openCreations > 0
  }

  /// Appends a place to this thread's round.
  ///
  /// - Parameter isOwn: Whether this thread made the change. If an observer made it, the change is one step
  ///   deeper in a chain of observers, whose length debug builds count.
  @inlinable func append(_ place: Place, isOwn: Bool) {
    #if DEBUG
      var place = place
      if isOwn, pointee.isDelivering { place.depth += 1 }
    #endif
    pointee.round.append(place)
    if pointee.openTransactions > 0 { pointee.openPlaces += 1 }
  }

  @usableFromInline func deliverRound() {
    pointee.isDelivering = true
    noteSurroundings()
    pointee.handoverPressure = 0
    pointee.withdrawnOffers = 0
    while let place = pointee.round.popFirst() {
      #if DEBUG
        pointee.depth = place.depth
        if place.depth >= ThreadState.depthOfCycles { noteCycle(through: place) }
      #endif
      if place.version != .beginning {
        place.target.use { place.deliverChanges($0, place.version, self) }
      }
      place.target.release()
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
    private func noteCycle(through place: Place) {
      let channel = place.target.use { (ObjectIdentifier($0), "\($0)") }
      if !pointee.cycle.contains(where: { $0.channel == channel.0 }) {
        pointee.cycle.append(channel)
      }
      guard place.depth >= ThreadState.depthOfCycles + 100 else { return }
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
  @inlinable func deliverPlacesAndDispatch() {
    deliverPlaces()
    if !pointee.deferredDispatches.isEmpty, pointee.dispatchDeferrals == 0 {
      runDeferredDispatches()
    }
  }

  /// Runs the deferred dispatches in the order in which they were invoked.
  @usableFromInline func runDeferredDispatches() {
    while let dispatch = pointee.deferredDispatches.popFirst() {
      dispatch(self)
      deliverPlaces()
      // In a transaction, this thread still holds a turn.
      releaseAfterUnlocking(dispatch)
    }
  }
}

/// An entry of a thread's round: a channel, and a closure that delivers the channel's changes.
///
/// The version tells how far to deliver. The version `.beginning` says that there is nothing to deliver. A place owns one
/// reference to its channel, which the end of the place releases.
@usableFromInline struct Place {
  /// A closure that delivers the target's changes, as a replacement for a virtual method.
  ///
  /// A virtual method of a generic class always runs unspecialized, which takes ten times as long. These
  /// closures are specialized, because they are created in code that knows the element type. Except in
  /// `deferUntilUnlocked`, the closures capture nothing, so the closures need no allocation.
  @usableFromInline typealias Deliver =
    @Sendable (AnyObject, Version, CurrentThread) -> Void

  /// The channel, an `AnyChannel`.
  @usableFromInline let target: Unmanaged<AnyObject>

  /// The version up to which the place delivers changes.
  @usableFromInline var version: Version

  @usableFromInline let deliverChanges: Deliver

  /// Whether a transaction has added this place, so that its end commits the channel.
  @usableFromInline var isUncommitted: Bool

  /// Whether the commit locks the channel for this place, which is the transaction's first one for the channel.
  @usableFromInline var locksChannel: Bool

  /// The place's index during a commit. A region has the index of its last variable.
  @usableFromInline var position: Int32 = 0

  #if DEBUG
    /// The length of the chain of observers that has led to this change. In such a chain, the change that
    /// one observer makes causes the call of the next observer.
    @usableFromInline var depth = currentThread().pointee.depth
  #endif

  @inlinable init(
    to target: AnyObject,
    through version: Version = .never,
    isUncommitted: Bool = false,
    by deliver: @escaping Deliver
  ) {
    self.target = .passRetained(target)
    self.version = version
    self.isUncommitted = isUncommitted
    locksChannel = isUncommitted
    deliverChanges = deliver
  }
}

/// Keeps a value until this thread has left its transaction and its initializers of stores, and so holds no lock,
/// because a `deinit` can run user code. Elsewhere, this function does nothing.
@inlinable package func releaseAfterUnlocking<Value>(_ value: Value?) {
  let thread = currentThread()
  guard thread.holdsLock, !_isPOD(Value.self), let value else { return }
  thread.keepUntilUnlocked(Kept(value))
}

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Keeps an object until this thread has left its transaction. A transaction that dispatches many states to one store
  /// keeps the store once.
  @usableFromInline func keepUntilUnlocked(_ object: AnyObject) {
    let last = pointee.round.isEmpty ? nil : pointee.round[pointee.round.count - 1].target
    if last?.toOpaque() == Unmanaged.passUnretained(object).toOpaque() { return }
    append(Place(to: object) { _, _, _ in }, isOwn: false)
  }
}

/// A value that is released with a place of a thread's round.
@usableFromInline final class Kept<Value> {
  let value: Value

  @usableFromInline init(_ value: Value) { self.value = value }
}
