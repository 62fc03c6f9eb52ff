/// The thread that is delivering a channel, or that offers the delivery to other threads.
///
/// | value | meaning | next |
/// |---|---|---|
/// | idle | no thread is delivering the channel; threads may have places for the channel in their rounds | delivering, offered |
/// | delivering | one thread is delivering the channel; other threads forward their changes to that thread | idle |
/// | offered | a thread has delivered many changes, and offers the delivery to other threads | idle, when another thread takes the offer or the offering thread withdraws it; delivering, when another thread with a place delivers the channel |
///
/// The channel's lock guards this structure, which is as small as a single number.
@usableFromInline struct Deliverer {
  @usableFromInline var bits: UInt32 = 0

  /// - Parameter thread: The thread that is delivering the channel, or `nil` if no thread is.
  @inlinable init(_ thread: CurrentThread? = nil) {
    if let thread { bits = thread.pointee.id &<< 2 }
  }

  @inlinable var isDelivering: Bool { bits > 2 && !isOffered }

  /// Returns whether this thread may deliver the channel. The result is false while another thread is
  /// delivering the channel.
  @inlinable
  func admits(_ thread: CurrentThread) -> Bool { !isDelivering || bits &>> 2 == thread.pointee.id }

  /// Whether the delivering thread has to remove observations that were cleaned during the delivery.
  @inlinable var hasCleaned: Bool {
    get { bits & 1 != 0 }
    set { bits = bits & ~1 | (newValue ? 1 : 0) }
  }

  @inlinable var isOffered: Bool { bits & 2 != 0 }

  /// Returns whether this thread made the current offer. A thread that takes an offer can later make its
  /// own offer.
  func isOffered(by thread: CurrentThread) -> Bool { bits == thread.pointee.id &<< 2 | 2 }

  mutating func offer(by thread: CurrentThread) { bits = thread.pointee.id &<< 2 | 2 }
}

extension AnyChannel {
  /// Forwards the delivery of the changes up to a version to the thread that is delivering the channel. The
  /// caller must hold the channel's lock.
  @usableFromInline
  final func forward(through version: Version, by deliver: @escaping Place.Deliver) {
    let extras = extrasWord.extras ?? .passUnretained(ensureAnyExtras())
    extras.use {
      $0.forwarded = (max($0.forwarded?.version ?? version, version), deliver)
      $0.hasNewlyForwarded = true
    }
  }

  /// Adds a place for the changes that were forwarded to this thread, if any. The caller must hold the channel's
  /// lock.
  @usableFromInline final func takeForwardedChanges(on thread: CurrentThread) {
    guard let (version, deliver) = extrasWord.extras?.use({ $0.forwarded.take() }) else { return }
    thread.append(Place(to: self, through: version, by: deliver), isOwn: false)
  }

  /// Adds a place for the changes so far to this thread's round, or forwards them to the thread that is already
  /// delivering the channel. The caller must hold the channel's lock.
  ///
  /// - Parameter deliver: The closure of the place.
  @inlinable final func takePlace(by deliver: @escaping Place.Deliver, on thread: CurrentThread) {
    let isTaken = claimDelivery(on: thread)
    if !isTaken { forward(through: version, by: deliver) }
    // A thread that is delivering takes an offer later, at the place, if the offer still stands then.
    if isTaken || deliverer.isOffered {
      thread.append(Place(to: self, through: version, by: deliver), isOwn: true)
    }
  }

  /// Ends the delivery of a change. The caller must not hold the channel's lock.
  ///
  /// - Parameter isLast: Whether the thread doesn't go on to the next change; see `becomeIdle`.
  @inlinable final func endDelivering(isLast: Bool = true, on thread: CurrentThread) {
    lock.lock()
    let detached = becomeIdle(takingForwardedChanges: isLast, on: thread)
    lock.unlock()
    detached?.releaseUnlocked(by: self, on: thread)
  }

  /// Makes the channel idle, and does the work that other threads have forwarded to this thread: cleaned
  /// observations, and their changes. The caller must hold the channel's lock.
  ///
  /// A thread that goes on to the next change of the backlog takes the changes that were forwarded only at the end.
  /// If the thread added a place for them after each change, it would have many places for one channel, and
  /// could return only after a handover at each of them.
  ///
  /// - Parameter takesForwardedChanges: Whether to add a place for the changes that were forwarded.
  /// - Returns: The objects that the caller has to release after unlocking, if any.
  @inlinable final func becomeIdle(
    takingForwardedChanges takesForwardedChanges: Bool,
    on thread: CurrentThread
  ) -> Detached? {
    let hasCleaned = deliverer.hasCleaned
    deliverer = Deliverer()
    let hasForwarded = extrasWord.extras?.use { $0.forwarded != nil } ?? false
    guard hasCleaned || isClosed || hasForwarded else { return nil }
    if takesForwardedChanges { takeForwardedChanges(on: thread) }
    return cleanUpAfterDelivery(hasCleaned: hasCleaned, on: thread)
  }

  /// Removes cleaned observations, and counts a change of another thread if one was forwarded during the delivery. The
  /// caller must hold the channel's lock.
  @usableFromInline
  final func cleanUpAfterDelivery(hasCleaned: Bool, on thread: CurrentThread) -> Detached {
    var detached = Detached()
    extrasWord.extras?.use {
      if $0.hasNewlyForwarded { thread.pointee.handoverPressure &+= 1 }
      $0.hasNewlyForwarded = false
    }
    if hasCleaned {
      // A constant that begins a region is among the region's constants.
      if !isDerived { removeCleaned(into: &detached) }
      extrasWord.extras?.use { $0.region }?.use { region in
        region.forEachChannel { $0.removeCleaned(into: &detached) }
        detached.others = region.takeDetached()
      }
    }
    if isClosed { closeIfIdle(into: &detached) }
    return detached
  }
}

// A thread that delivers a change also delivers the changes that other threads make during the delivery,
// so that no thread has to wait. If other threads make changes as fast as this thread delivers them, this
// thread never returns to its own work. Therefore, the delivering thread regularly offers the delivery to
// other threads. The next thread that makes a change takes over the delivery.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Whether this thread has delivered so many changes of other threads that it should offer a handover.
  @inlinable var isDueForHandover: Bool { pointee.handoverPressure >= 257 }

  /// Offers the delivery to other threads for a limited number of yields, and then withdraws the offer. The
  /// number is higher after each withdrawn offer, because another thread might need more time for a change.
  ///
  /// The offer improves fairness, but no guarantee depends on the offer. A thread that makes changes
  /// without end usually takes this offer or a later offer.
  ///
  /// - Parameters:
  ///   - lock: The lock that guards the offer.
  ///   - isOffered: Returns whether the offer is still open.
  ///   - withdraw: Withdraws the offer.
  /// - Returns: Whether another thread has taken over the delivery.
  fileprivate func waitForTakeover(
    under lock: borrowing Lock,
    isOffered: () -> Bool,
    withdraw: () -> Void
  ) -> Bool {
    for _ in 0..<32 << pointee.withdrawnOffers {
      yieldProcessor()
      // `isDueForHandover` stays true, so this thread also offers its next delivery to other threads. The
      // next delivery might be for the same channel if the other thread hasn't started to deliver.
      if lock.withLock({ !isOffered() }) { return true }
    }
    // This thread makes its next offer after 37 more changes. If the thread delivers several channels in
    // rotation, the prime number 37 makes the next offer fall on a different channel. Sometimes, other
    // threads can take over this channel only after they have taken over a different channel.
    pointee.handoverPressure = 257 - 37
    pointee.withdrawnOffers = min(pointee.withdrawnOffers + 1, 4)
    return lock.withLock {
      if isOffered() { withdraw() } else { return true }
      return false
    }
  }
}

extension AnyChannel {
  /// Offers other threads the delivery of this channel's changes up to a version. Another thread can take
  /// the offer when it makes or delivers a change.
  ///
  /// - Parameter deliver: The closure of this thread's place.
  /// - Returns: Whether another thread has taken or replaced this thread's offer.
  @usableFromInline
  final func handOver(
    through version: Version,
    by deliver: @escaping Place.Deliver,
    on thread: CurrentThread
  ) -> Bool {
    let isOffered = lock.withLock {
      guard !deliverer.isDelivering else { return false }
      forward(through: version, by: deliver)
      deliverer.offer(by: thread)
      return true
    }
    // Another thread might take this offer and make its own offer before this thread notices. Another
    // thread might even replace this offer with its own offer. The thread with the last offer then
    // delivers all pending changes or hands them over.
    return isOffered
      && thread.waitForTakeover(under: lock, isOffered: { deliverer.isOffered(by: thread) }) {
        deliverer = Deliverer()
      }
  }

  /// Returns whether this thread may deliver the channel, after taking over the delivery if another thread offers
  /// it. The caller must hold the channel's lock.
  ///
  /// - Returns: Whether this thread may deliver the channel. The result is false while another thread is
  ///   delivering the channel. If this thread is delivering any channel or runs the initializer of a store, the result is
  ///   also false while the delivery is offered. The observer or the initializer might be waiting for the offered
  ///   changes, so it must not take the offer.
  @inlinable final func claimDelivery(on thread: CurrentThread) -> Bool {
    guard deliverer.isOffered else { return deliverer.admits(thread) }
    if thread.pointee.isDelivering || thread.pointee.openCreations > 0 { return false }
    deliverer = Deliverer()
    return true
  }
}

extension Observation {
  /// Offers other threads the delivery of the changes that arrived during the call with the first value.
  /// The thread that delivers the next change to this observation can take the offer.
  ///
  /// - Returns: Whether another thread has taken over the delivery.
  @usableFromInline func handOver(on thread: CurrentThread) -> Bool {
    // Only this thread drains the mailbox.
    guard let mailbox = lock.withLock({ mailbox }), mailbox.queue.isCurrent else { return false }
    lock.withLock { mailbox.offerer = thread.pointee.id }
    return thread.waitForTakeover(under: lock, isOffered: { mailbox.offerer == thread.pointee.id })
    {
      mailbox.offerer = 0
    }
  }
}
