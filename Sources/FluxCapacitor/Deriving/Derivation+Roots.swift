extension Derivation {
  /// Locks all variables at once, which stops every change on the way here.
  ///
  /// It waits for one lock only while it holds none, for the lock of a variable may be held by a
  /// mutation, whose body may want another of these.
  func lockRoots() {
    var first = 0
    while true {
      roots[first].channel.acquire()
      guard
        let busy = roots.indices.first(where: { $0 != first && !roots[$0].channel.tryAcquire() })
      else { return }
      for index in roots.indices where index == first || index < busy {
        roots[index].channel.lock.unlock()
      }
      first = busy
    }
  }

  /// Sees to it that what is written from now on is marked anew; the roots are locked.
  ///
  /// - Returns: Whether a transaction is under way that has written to them.
  func willBeJoined() -> Bool {
    var isAmid = false
    for root in roots where root.channel.willJoinDownstream() { isAmid = true }
    return isAmid
  }

  func unlockRoots() {
    for root in roots { root.channel.lock.unlock() }
  }

  /// What tells the present state of the variables from all others; they are locked.
  var state: Fingerprint {
    roots.reduce(.zero) { $0 + $1.weight * Fingerprint($1.channel.version) }
  }
}

extension AnyChannel {
  /// Takes the lock if nobody has it, and traps if this thread is inside a mutation under it.
  fileprivate final func tryAcquire() -> Bool {
    if lock.isHeldForUser, lock.isHeld(by: CurrentThread.current.id) { trapInMutation() }
    return lock.tryLock()
  }
}
