// How a derived constant computes and tells what is on its way to it.

extension DerivedChannel {
  /// Computes and tells the first change on its way here, if all of it has arrived and nobody is at it.
  @inlinable
  func deliverNext(on thread: CurrentThread) {
    lock.lock()
    if thread.isDueForHandover, tryToHandOver(on: thread) { return lock.unlock() }
    guard deliverer.thread == 0, ownDerivation.isReady else { return lock.unlock() }
    let number = ownDerivation.pendingChanges[0].number
    let version = ownDerivation.pendingChanges[0].version
    _ = ownDerivation.pendingChanges.popFirst()
    let isLast = ownDerivation.pendingChanges.isEmpty
    deliverer = Deliverer(thread)
    let memo = self.memo
    lock.unlock()

    let (new, isChangedBefore) = ownDerivation.advance(to: number)
    let isChanged = update(to: new, isChanged: isChangedBefore, memo, isLast: isLast)
    deliver(version, isChanged: isChanged, on: thread)
    finishDelivering(on: thread)
  }

  /// Computes what is to be told next; answers whether it differs from what was told last.
  @inlinable
  func update(to new: Revision, isChanged: Bool, _ memo: Outcome?, isLast: Bool) -> Bool {
    let deliveredState = delivered.revision.state
    var isChanged = isChanged
    delivered.revision.state = new.state
    delivered.sources = new.edition
    if isChanged {
      // A reader may have taken another value for the one before, and kept that.
      let value =
        if let memo, memo.sources == new.edition, memo.revision.edition == new.edition {
          memo.value
        } else {
          formula(.delivered)
        }
      if let isSame, let before = delivered.value, isSame(before, value) {
        isChanged = false
      } else {
        delivered.value = value
        delivered.revision.edition = new.edition
      }
    }
    // A reader may have been ahead of what is told here; then what it has found is the later one.
    if let value = delivered.value, isLast || memo == nil || memo?.revision.state == deliveredState
    {
      remember((value: value, revision: delivered.revision, sources: new.edition))
    }
    return isChanged
  }

  /// Notes what is told now; answers the inputs that began with that value. The lock is held.
  @usableFromInline
  func takeJoining() -> [AnyInput] {
    known = delivered.revision
    guard !joining.isEmpty else { return [] }
    let joined = joining.filter { $0.joinedState == known.state }
    // With nothing more on its way, the others began in the midst of a transaction.
    joining =
      ownDerivation.pendingChanges.isEmpty ? [] : joining.filter { $0.joinedState != known.state }
    return joined
  }

  @usableFromInline
  func noteJoined(_ inputs: [AnyInput]) {
    for input in inputs { input.noteJoined(delivered.revision.edition) }
  }

  /// Tells the change or, to those who derive from this alone, that there is none.
  @inlinable
  func deliver(_ version: UInt64, isChanged: Bool, on thread: CurrentThread) {
    lock.lock()
    let joined = ownDerivation.mayKeepValues ? takeJoining() : []
    let over = joiners.isEmpty ? [] : updateJoiners(before: version, isChanged: isChanged)
    let first = isChanged || hasInputs || !joiners.isEmpty ? self.first : nil
    let last = first?._withUnsafeGuaranteedRef { $0.previous }
    let memo = delivered.value == nil ? self.memo : nil
    lock.unlock()
    // The values that they know go when the lock is open again.
    withExtendedLifetime(over) {}
    noteJoined(joined)
    guard let first else { return }
    let value = delivered.value ?? valueToDeliver(memo)
    delivered.value = value
    let observer = deliverToInputs(value, version, delivered.revision, (first, last), on: thread)
    if isChanged, let observer {
      deliverToObservers(value, version, from: observer, through: last, on: thread)
    }
  }

  /// The value that is told last, which was not asked for before.
  @inlinable
  func valueToDeliver(_ memo: Outcome?) -> Element {
    if let memo, memo.revision.edition == delivered.revision.edition { return memo.value }
    return formula(.delivered)
  }

  /// Notes what joiners are owed, and forgets those who are told it with all others, or know what they know.
  /// The lock is held.
  ///
  /// - Returns: Those that are forgotten, to be released outside the lock.
  @usableFromInline
  func updateJoiners(before version: UInt64, isChanged: Bool) -> [Joiner] {
    let due = joiners.filter { $0.since < version }
    for joiner in due { joiner.isOwed = true }
    // What was told now may be what somebody was told first, who came while it was on its way.
    let over = joiners.filter { $0.state == delivered.revision.state } + (isChanged ? due : [])
    joiners.removeAll { joiner in over.contains { $0 === joiner } }
    return over
  }

  /// Tells what is none for others to those who are owed it, as soon as it is known what they were told
  /// first; the lock is held before and after.
  @usableFromInline
  func deliverToJoiners(on thread: CurrentThread) {
    while let value = delivered.value,
      let index = joiners.firstIndex(where: { $0.isOwed && !$0.isFirstAwaited })
    {
      let joiner = joiners.remove(at: index)
      lock.unlock()
      if !knows(value, joiner) { joiner.observation.receive(value, on: thread) }
      // What it was told first goes while the lock is open.
      _ = consume joiner
      lock.lock()
    }
  }

  private func knows(_ value: Element, _ joiner: Joiner) -> Bool {
    guard let first = joiner.first else { return false }
    return isSame?(first.value, value) ?? (first.revision.edition == delivered.revision.edition)
  }

  @inlinable
  func finishDelivering(on thread: CurrentThread) {
    lock.lock()
    if !joiners.isEmpty { deliverToJoiners(on: thread) }
    let hasCleaned = deliverer.hasCleaned
    deliverer = Deliverer()
    if ownDerivation.isReady {
      thread.noteChangeOfOthers()
      thread.append(ownDerivation.delivery(to: self), isOwn: false)
    }
    if hasCleaned || first == nil { return detachCleaned() }
    lock.unlock()
  }
}
