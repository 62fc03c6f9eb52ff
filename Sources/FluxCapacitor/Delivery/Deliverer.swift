/// Who delivers a channel.
///
/// | state | meaning | next |
/// |---|---|---|
/// | idle | no thread | delivering, by a change or a place in a round |
/// | delivering | one thread delivers, or is going to in its round; others leave their changes to it | idle, offered |
/// | offered | the thread has delivered for long, and waits for another to go on | delivering by that one, or idle |
///
/// It is guarded by the channel's lock, and has the size of a number.
@usableFromInline struct Deliverer {
  @usableFromInline var bits: UInt32 = 0

  /// Idle.
  @inlinable init() {}

  /// Delivering.
  @inlinable init(_ thread: CurrentThread) {
    bits = thread.id &<< 2
  }

  /// Makes a thread the deliverer, if it isn't yet.
  @inlinable mutating func assign(to thread: CurrentThread) {
    if !isDelivering { self = Deliverer(thread) }
  }

  @inlinable var isDelivering: Bool { bits > 2 && !isOffered }

  /// Whether a thread may deliver: none does, or this one has been assigned to.
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

  /// Lets other threads run, and perhaps take over what is offered. The lock must be held; it is
  /// unlocked in between.
  ///
  /// This serves fairness and guarantees nothing: a thread that makes changes without end usually
  /// makes one during this offer, or else during one of those that follow.
  ///
  /// - Returns: Whether another thread has taken over.
  fileprivate func waitForTakeover(
    unlocking lock: borrowing Lock,
    _ isTakenOver: () -> Bool
  ) -> Bool {
    for _ in 0..<32 {
      lock.unlock()
      yieldProcessor()
      lock.lock()
      if isTakenOver() {
        pointee.changesOfOthers = 0
        return true
      }
    }
    // It tries again after 37 changes. As a prime, that is at another one of the channels that it delivers
    // in turn: nobody may be able to take over this one before the others.
    pointee.changesOfOthers = 257 - 37
    return false
  }
}

extension AnyChannel {
  /// Offers the delivery to the next thread that makes a change, or brings one. The lock must be
  /// held; it is unlocked in between.
  ///
  /// - Returns: Whether another thread delivers the rest, or offers it in its turn.
  @usableFromInline final func tryToHandOver(on thread: CurrentThread) -> Bool {
    // Another thread may make an offer before this one has seen that its own is taken, or even instead
    // of it: whoever offered last delivers, or hands over, all that is there.
    guard !deliverer.isDelivering else { return false }
    deliverer.offer(by: thread)
    defer { if deliverer.isOffered(by: thread) { deliverer = Deliverer() } }
    return thread.waitForTakeover(unlocking: lock) { !deliverer.isOffered(by: thread) }
  }
}

extension Observation {
  /// Offers the delivery of what has come in during the call with the first value to the thread
  /// that brings the next change.
  ///
  /// - Returns: Whether another thread has taken over.
  @usableFromInline func tryToHandOver(on thread: CurrentThread) -> Bool {
    return lock.withLock {
      guard let mailbox else { return false }
      mailbox.offerer = thread.id
      defer { if mailbox.offerer == thread.id { mailbox.offerer = 0 } }
      return thread.waitForTakeover(unlocking: lock) { mailbox.offerer != thread.id }
    }
  }
}
