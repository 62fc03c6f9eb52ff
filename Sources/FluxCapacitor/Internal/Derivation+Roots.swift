import Dispatch

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

  /// Locks all variables at once, at a time when no other thread is in the midst of a reduce, which may
  /// have written to some of them and not to others yet.
  ///
  /// It looks at the dispatchers that have been seen to write to the variables. It waits for no reduce
  /// without a bound, for that may be waiting for what this thread holds.
  func lockRootsBetweenTurns(on thread: CurrentThread) {
    lockRoots()
    guard onlyRoot == nil, !dispatchers.isEmpty else { return }
    let start = DispatchTime.now().uptimeNanoseconds
    while LiveRegistries.shared.isTurnHeld(of: dispatchers, besides: thread.id),
      DispatchTime.now().uptimeNanoseconds < start + Derivation.longestWait
    {
      unlockRoots()
      thread.yieldProcessor()
      lockRoots()
    }
  }

  /// 1 s: more than a thread is put off the processor for in the midst of a reduce.
  private static let longestWait: UInt64 = 1_000_000_000

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
