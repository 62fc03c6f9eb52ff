/// Who delivers a channel.
///
/// | state | meaning | next |
/// |---|---|---|
/// | idle | no thread; perhaps some have places in their rounds | delivering, offered |
/// | delivering | one thread; others leave their changes to it | idle |
/// | offered | a thread has delivered for long, and waits for another to go on | idle, by the thread that takes the offer, or that withdraws it |
///
/// It is guarded by the channel's lock, and has the size of a number.
@usableFromInline struct Deliverer {
  @usableFromInline var bits: UInt32 = 0

  /// Idle.
  @inlinable init() {}

  /// Delivering.
  @inlinable init(_ thread: CurrentThread) { bits = thread.id &<< 2 }

  @inlinable var isDelivering: Bool { bits > 2 && !isOffered }

  /// Whether no other thread is delivering.
  @inlinable
  func isOpen(to thread: CurrentThread) -> Bool { !isDelivering || bits &>> 2 == thread.id }

  /// Whether the deliverer has to remove observations that were cleaned in the meantime.
  @inlinable var hasCleaned: Bool {
    get { bits & 1 != 0 }
    set { bits = bits & ~1 | (newValue ? 1 : 0) }
  }

  @inlinable var isOffered: Bool { bits & 2 != 0 }

  /// Whether this thread made the offer. A thread that takes it may make an offer too.
  func isOffered(by thread: CurrentThread) -> Bool { bits == thread.id &<< 2 | 2 }

  mutating func offer(by thread: CurrentThread) { bits = thread.id &<< 2 | 2 }
}

// A thread that delivers a change also delivers those that other threads make meanwhile, so that
// none has to wait. If they keep making changes as fast as it delivers them, it would never return
// to its own work. So from time to time it offers them the delivery, and the next thread that makes
// a change takes over.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Whether this thread has delivered so many changes of others that it should offer a handover.
  @inlinable var isDueForHandover: Bool { pointee.changesOfOthers >= 257 }

  /// Lets other threads run until one has taken an offer, or else withdraws it.
  ///
  /// This serves fairness and guarantees nothing: a thread that makes changes without end usually
  /// makes one during this offer, or else during one of those that follow.
  ///
  /// - Parameters:
  ///   - lock: Guards the offer.
  ///   - isOffered: Returns whether the offer still stands.
  ///   - withdraw: Withdraws it.
  /// - Returns: Whether another thread has taken over.
  fileprivate func waitForTakeover(
    under lock: borrowing Lock,
    isOffered: () -> Bool,
    withdraw: () -> Void
  ) -> Bool {
    for _ in 0..<32 {
      yieldProcessor()
      if lock.withLock({ !isOffered() }) {
        pointee.changesOfOthers = 0
        return true
      }
    }
    // It tries again after 37 changes. As a prime, that is at another one of the channels that it delivers
    // in turn: nobody may be able to take over this one before the others.
    pointee.changesOfOthers = 257 - 37
    return lock.withLock {
      if isOffered() { withdraw() } else { return true }
      return false
    }
  }
}

extension AnyChannel {
  /// Offers the delivery up to a version to the next thread that makes a change, or delivers one.
  ///
  /// - Returns: Whether another thread delivers the rest, or offers it in its turn.
  @usableFromInline
  final func handOver(through version: Version, on thread: CurrentThread) -> Bool {
    let isOffered = lock.withLock {
      guard !deliverer.isDelivering else { return false }
      leave(through: version)
      deliverer.offer(by: thread)
      return true
    }
    // Another thread may make an offer before this one has seen that its own is taken, or even instead
    // of it: whoever offered last delivers, or hands over, all that is there.
    return isOffered
      && thread.waitForTakeover(under: lock, isOffered: { deliverer.isOffered(by: thread) }) {
        deliverer = Deliverer()
      }
  }

  /// Takes over what is offered, if anything is. The lock must be held.
  ///
  /// - Returns: Whether this thread may take a place for it: no other thread is delivering, and this one
  ///   isn't inside an observer, which may itself wait for what is offered.
  @inlinable final func takeOffer(on thread: CurrentThread) -> Bool {
    guard deliverer.isOffered else { return deliverer.isOpen(to: thread) }
    if !thread.pointee.isDelivering { deliverer = Deliverer() }
    return !thread.pointee.isDelivering
  }
}

extension Observation {
  /// Offers the delivery of what has come in during the call with the first value to the thread
  /// that brings the next change.
  ///
  /// - Returns: Whether another thread has taken over.
  @usableFromInline func handOver(on thread: CurrentThread) -> Bool {
    let offering: Mailbox<Element>? = lock.withLock {
      guard let mailbox, mailbox.queue.isCurrent else { return nil }
      mailbox.offerer = thread.id
      return mailbox
    }
    guard let offering else { return false }
    return thread.waitForTakeover(under: lock, isOffered: { offering.offerer == thread.id }) {
      offering.offerer = 0
    }
  }
}
