// Who tells a change also tells those that others make meanwhile, so that nobody waits for anybody. If
// they go on making them as fast as it tells, it would never come back to what it was doing. So from
// time to time it offers the telling to them, and the next one who makes a change takes it over.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Notes that what this thread is to tell next was made by another.
  @inlinable
  func noteChangeOfOthers() {
    pointee.changesOfOthers &+= 1
  }

  /// Whether this thread has told so many changes of others that one of them should go on.
  @inlinable
  var isDueForHandover: Bool { pointee.changesOfOthers >= 256 }

  /// Lets others run, and perhaps take over what is offered. The lock is held before and after, and open
  /// in between.
  ///
  /// It is a matter of fairness, and no promise: who makes changes without end makes one meanwhile,
  /// mostly, or else at one of the offers that follow.
  ///
  /// - Returns: Whether somebody has.
  fileprivate func isTakenOver(opening lock: borrowing Lock, _ isTaken: () -> Bool) -> Bool {
    pointee.changesOfOthers = 0
    for _ in 0..<32 {
      lock.unlock()
      yieldProcessor()
      lock.lock()
      if isTaken() { return true }
    }
    return false
  }
}

extension AnyChannel {
  /// Offers the telling to whoever next makes a change, or brings one; the lock is held before and
  /// after, and open in between.
  ///
  /// - Returns: Whether another thread has taken a place in its round for it.
  @usableFromInline
  final func tryToHandOver(on thread: CurrentThread) -> Bool {
    // An offer of one thread at a time. When it is taken, another may offer, before this one has seen it.
    guard deliverer.thread == 0, !deliverer.isOffered else { return false }
    deliverer.offer(by: thread)
    defer { if deliverer.isOffered(by: thread) { deliverer.takeOffer() } }
    return thread.isTakenOver(opening: lock) { !deliverer.isOffered(by: thread) }
  }
}

extension Observation {
  /// Offers to whoever brings the next change to tell what has come in while the first value was told.
  ///
  /// - Returns: Whether another thread does so.
  @usableFromInline
  func tryToHandOver(on thread: CurrentThread) -> Bool {
    return lock.withLock {
      guard let mailbox else { return false }
      mailbox.offerer = thread.id
      defer { if mailbox.offerer == thread.id { mailbox.offerer = 0 } }
      return thread.isTakenOver(opening: lock) { mailbox.offerer != thread.id }
    }
  }
}
