// Changes in place, which run user code under the variable's lock. `ValueChannel.swift` says why these methods belong to
// `Channel`.

extension Channel {
  @inlinable final func mutate<Result, Failure: Error>(
    _ body: (inout Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let thread = beginMutation()
    defer { endMutation(on: thread) }
    return try body(&value)
  }

  /// Takes the variable's lock, so that user code can change the value in place.
  ///
  /// A mutation is a small transaction. Other variables that its body writes are delivered after the
  /// mutation. States that its body invokes are dispatched after the mutation.
  @inlinable final func beginMutation() -> CurrentThread {
    recordOperation("changes", self)
    let thread = currentThread()
    if lock.isHeldByCurrentThread { trapInMutation() }
    thread.pointee.openTransactions += 1
    thread.pointee.dispatchDeferrals += 1
    thread.pointee.openMutations += 1
    lockForMutation(on: thread)
    return thread
  }

  /// Takes the variable's lock within a mutation that has already begun.
  @inlinable final func lockForMutation(on thread: CurrentThread) {
    lock.lock(holder: thread.pointee.id)
    if pendingWrite.patience > 0 { letCommitPass(holder: thread.pointee.id, on: thread) }
    if pendingWrite.waitsForDelivery { moveToBacklog() }
  }

  /// Releases the variable's lock, and makes the mutation a change.
  ///
  /// - Parameters:
  ///   - isChange: Whether the mutation has written the value.
  ///   - hasParts: Whether the mutation has also written parts of this variable. The lock is then held
  ///     until the commit, even if the variable isn't observed.
  @inlinable final func endMutation(
    on thread: CurrentThread,
    isChange: Bool = true,
    hasParts: Bool = false
  ) {
    recordOperation("changes", self, value)
    thread.pointee.openMutations -= 1
    thread.pointee.dispatchDeferrals -= 1
    if isChange {
      version = version.next
      recordWrite(self, value, isCommitted: !hasDependents)
    }
    let isOutermost = thread.pointee.openTransactions == 1
    let needsCommit = hasDependents || hasParts && isOutermost && thread.pointee.openPlaces > 0
    if !isChange || !needsCommit {
      lock.unlock()
      thread.endTransaction()
    } else if isOutermost, thread.pointee.openPlaces == 0 {
      thread.endTransaction()
      let value = value
      let delivery = makeChange(value, on: thread)
      lock.unlock()
      deliverNow(value, delivery, on: thread)
    } else {
      leaveToTransaction(on: thread)
      // Inside a transaction, such as a reduce, the transaction's end commits the variable. Otherwise, this
      // mutation is the transaction, and the variable is the last one that has a place.
      if !isOutermost { lock.unlock() }
      thread.endTransaction(holdingLast: isOutermost)
    }
    thread.deliverPlacesAndDispatch()
  }

  /// Leaves a mutated value to the open transaction, and unlocks the variable. The mutation goes on for
  /// another variable.
  @inlinable final func unlockMutated(on thread: CurrentThread) {
    version = version.next
    recordWrite(self, value, isCommitted: !hasDependents)
    if hasDependents { leaveToTransaction(on: thread) }
    lock.unlock()
  }
}
