/// The thread that delivers a channel, if there is one.
///
/// | state | meaning | next |
/// |---|---|---|
/// | idle | no thread is delivering; some threads may have places in their rounds | delivering, offered |
/// | delivering | one thread is delivering; other threads leave their changes to it | idle |
/// | offered | a thread has delivered for a long time, and waits for another thread to continue | idle, when a thread takes the offer or withdraws it |
///
/// The channel's lock guards it. It has the size of a number.
@usableFromInline struct Deliverer {
  @usableFromInline var bits: UInt32 = 0

  /// Creates the state "idle".
  @inlinable init() {}

  /// Creates the state "delivering".
  @inlinable init(_ thread: CurrentThread) { bits = thread.id &<< 2 }

  @inlinable var isDelivering: Bool { bits > 2 && !isOffered }

  /// Returns whether no other thread is delivering.
  @inlinable
  func isOpen(to thread: CurrentThread) -> Bool { !isDelivering || bits &>> 2 == thread.id }

  /// Whether the deliverer has to remove observations that were cleaned in the meantime.
  @inlinable var hasCleaned: Bool {
    get { bits & 1 != 0 }
    set { bits = bits & ~1 | (newValue ? 1 : 0) }
  }

  @inlinable var isOffered: Bool { bits & 2 != 0 }

  /// Returns whether this thread made the offer. A thread that takes the offer may make one too.
  func isOffered(by thread: CurrentThread) -> Bool { bits == thread.id &<< 2 | 2 }

  mutating func offer(by thread: CurrentThread) { bits = thread.id &<< 2 | 2 }
}

// A thread that delivers a change also delivers the changes that other threads make meanwhile, so that no
// thread has to wait. Other threads may make changes as fast as this thread delivers them. Then it would
// never return to its own work. So from time to time, the thread offers the delivery to the others. The
// next thread that makes a change takes over.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Whether this thread has delivered so many changes of other threads that it should offer a handover.
  @inlinable var isDueForHandover: Bool { pointee.changesOfOthers >= 257 }

  /// Lets other threads run until one of them has taken an offer. If none does, withdraws the offer.
  ///
  /// The offer serves fairness and guarantees nothing. A thread that makes changes without end usually
  /// makes one during this offer, or during a later one.
  ///
  /// - Parameters:
  ///   - lock: The lock that guards the offer.
  ///   - isOffered: Returns whether the offer still stands.
  ///   - withdraw: Withdraws the offer.
  /// - Returns: Whether another thread has taken over.
  fileprivate func waitForTakeover(
    under lock: borrowing Lock,
    isOffered: () -> Bool,
    withdraw: () -> Void
  ) -> Bool {
    for _ in 0..<32 {
      yieldProcessor()
      // The thread stays due: it offers its next place too. That may be in the same channel, which the
      // other thread has yet to begin to deliver.
      if lock.withLock({ !isOffered() }) { return true }
    }
    // This thread offers again after 37 changes. The number is prime, so the next offer is for a different
    // one of the channels that the thread delivers by turns. Possibly, another thread can take over this
    // channel only after one of the others.
    pointee.changesOfOthers = 257 - 37
    return lock.withLock {
      if isOffered() { withdraw() } else { return true }
      return false
    }
  }
}

extension AnyChannel {
  /// Offers the delivery up to a version to the next thread that makes or delivers a change.
  ///
  /// - Returns: Whether another thread delivers the rest, or offers it again.
  @usableFromInline
  final func handOver(through version: Version, on thread: CurrentThread) -> Bool {
    let isOffered = lock.withLock {
      guard !deliverer.isDelivering else { return false }
      leave(through: version)
      deliverer.offer(by: thread)
      return true
    }
    // Another thread may take this offer and make its own before this thread notices. It may even replace
    // this offer. The thread with the last offer delivers all changes that are there, or hands them over.
    return isOffered
      && thread.waitForTakeover(under: lock, isOffered: { deliverer.isOffered(by: thread) }) {
        deliverer = Deliverer()
      }
  }

  /// Takes over an offered delivery, if there is one. The lock must be held.
  ///
  /// - Returns: Whether this thread may take a place. It may not while another thread is delivering. Nor
  ///   may it take an offer inside an observer, which may itself wait for the offered changes.
  @inlinable final func takeOffer(on thread: CurrentThread) -> Bool {
    guard deliverer.isOffered else { return deliverer.isOpen(to: thread) }
    if !thread.pointee.isDelivering { deliverer = Deliverer() }
    return !thread.pointee.isDelivering
  }
}

extension Observation {
  /// Offers the changes that have arrived during the call with the first value. The thread that brings the
  /// next change may take over their delivery.
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
