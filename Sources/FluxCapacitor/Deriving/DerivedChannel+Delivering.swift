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

    let former = delivered.revision.state
    let (new, isChangedBefore) = ownDerivation.advance(to: number)
    let isChanged = update(to: new, isChanged: isChangedBefore, memo)
    let isLatest = isLater(new, than: memo, delivered: former, isLast: isLast)
    deliver(version, isChanged: isChanged, isLatest: isLatest, on: thread)
    finishDelivering(on: thread)
  }

  /// Computes and delivers a change of the only source, whose deliverer has made itself this one's.
  @inlinable
  func relay(
    _ value: UnsafeRawPointer,
    _ version: UInt64,
    _ new: Revision,
    on thread: CurrentThread
  ) {
    lock.lock()
    let memo = self.memo
    // Inputs that came meanwhile know of it.
    let first = firstObserver
    let last = self.first?._withUnsafeGuaranteedRef { $0.previous }
    lock.unlock()
    let value = memo.flatMap { known(at: new, in: $0) } ?? formula(.relayed(value))
    if isLater(new, than: memo, delivered: delivered.revision.state, isLast: true) {
      remember((value, new, new.edition))
    }
    delivered = (nil, new, new.edition)
    if let first { deliverToObservers(value, version, from: first, through: last, on: thread) }
    finishDelivering(on: thread)
  }

  /// Computes what is to be told next; answers whether it differs from what was told last.
  @inlinable
  func update(to new: Revision, isChanged: Bool, _ memo: Outcome?) -> Bool {
    var isChanged = isChanged
    delivered.revision.state = new.state
    delivered.sources = new.edition
    if isChanged {
      let value = memo.flatMap { known(at: new, in: $0) } ?? formula(.delivered)
      if let isSame, let before = delivered.value, isSame(before, value) {
        isChanged = false
      } else {
        delivered.value = value
        delivered.revision.edition = new.edition
      }
    }
    return isChanged
  }

  /// The value that a reader has computed already, unless it has kept an earlier one instead.
  @inlinable
  func known(at new: Revision, in memo: Outcome) -> Element? {
    memo.sources == new.edition && memo.revision.edition == new.edition ? memo.value : nil
  }

  /// Whether a change that is delivered is later than what is remembered: a reader may have been ahead.
  ///
  /// - Parameter former: The state of what was delivered before.
  @inlinable
  func isLater(
    _ new: Revision,
    than memo: Outcome?,
    delivered former: CombinedVersion,
    isLast: Bool
  ) -> Bool {
    guard let memo, memo.revision.state != former else { return true }
    // The state of a single variable is its version.
    guard let root = ownDerivation.onlyRoot, root.weight == .one else { return isLast }
    return memo.revision.state.value < new.state.value
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
  func deliver(_ version: UInt64, isChanged: Bool, isLatest: Bool, on thread: CurrentThread) {
    var outcome: Outcome?
    if isLatest, let value = delivered.value {
      outcome = (value, delivered.revision, delivered.sources)
    }
    lock.lock()
    if outcome != nil { swap(&outcome, &self.memo) }
    let joined = ownDerivation.mayKeepValues ? takeJoining() : []
    let over = joiners.isEmpty ? [] : updateJoiners(before: version, isChanged: isChanged)
    let first = isChanged || hasInputs || !joiners.isEmpty ? self.first : nil
    let last = first?._withUnsafeGuaranteedRef { $0.previous }
    let memo = delivered.value == nil ? self.memo : nil
    lock.unlock()
    // The values that they know go when the lock is open again, and so does the one before.
    withExtendedLifetime((over, outcome)) {}
    noteJoined(joined)
    guard let first else { return }
    let value = delivered.value ?? valueToDeliver(memo)
    delivered.value = value
    let (observer, isRelayed) =
      deliverToInputs(value, version, delivered.revision, (first, last), on: thread)
    if isChanged, let observer {
      deliverToObservers(value, version, from: observer, through: last, on: thread)
    }
    if isRelayed { relayToInputs(value, version, delivered.revision, (first, last), on: thread) }
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
