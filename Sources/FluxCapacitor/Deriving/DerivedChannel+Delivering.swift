// How a derived constant computes and delivers the changes that its sources bring.

extension DerivedChannel {
  /// Computes and delivers the first pending change, if it is complete and no thread is delivering.
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

  /// Computes and delivers a change of the only source, whose deliverer has claimed it: it has made
  /// itself the deliverer of this channel, in `Input.receive`, before it called the source's
  /// observers.
  @inlinable
  func relay(
    _ value: UnsafeRawPointer,
    _ version: UInt64,
    _ new: Revision,
    on thread: CurrentThread
  ) {
    lock.lock()
    let memo = self.memo
    // There were no inputs when it was claimed. Those that have joined since started with a state
    // that includes this change.
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

  /// Computes what to deliver next, and returns whether it differs from what was delivered last.
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

  /// The value, if a reader has computed it already and not kept an earlier one instead.
  @inlinable
  func known(at new: Revision, in memo: Outcome) -> Element? {
    memo.sources == new.edition && memo.revision.edition == new.edition ? memo.value : nil
  }

  /// Whether a change that is being delivered is later than what is remembered, which a reader may
  /// have computed ahead of it.
  ///
  /// - Parameter former: The state that was delivered before.
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

  /// Notes what is delivered now, and returns the inputs that started with that value. The lock
  /// must be held.
  @usableFromInline
  func takeJoining() -> [AnyInput] {
    known = delivered.revision
    guard !joining.isEmpty else { return [] }
    let joined = joining.filter { $0.joinedState == known.state }
    // If nothing else is on its way, the others started in the middle of a transaction, with a
    // state that isn't delivered.
    joining =
      ownDerivation.pendingChanges.isEmpty ? [] : joining.filter { $0.joinedState != known.state }
    return joined
  }

  @usableFromInline
  func noteJoined(_ inputs: [AnyInput]) {
    for input in inputs { input.noteJoined(delivered.revision.edition) }
  }

  /// Delivers the change or, if the value is the same as before, only lets the inputs know that it
  /// has arrived.
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
    // Released after unlocking, because a deinit may run user code.
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

  /// The value of the last change, which nobody has needed so far.
  @inlinable
  func valueToDeliver(_ memo: Outcome?) -> Element {
    if let memo, memo.revision.edition == delivered.revision.edition { return memo.value }
    return formula(.delivered)
  }

  /// Notes which joiners are owed the change, and removes those that are called with it like all
  /// other observers, or that already know what those know. The lock must be held.
  ///
  /// - Returns: The removed ones, to be released after unlocking.
  @usableFromInline
  func updateJoiners(before version: UInt64, isChanged: Bool) -> [Joiner] {
    let due = joiners.filter { $0.since < version }
    for joiner in due { joiner.isOwed = true }
    // A joiner may have started with this change, if it joined while that was on its way.
    let over = joiners.filter { $0.state == delivered.revision.state } + (isChanged ? due : [])
    joiners.removeAll { joiner in over.contains { $0 === joiner } }
    return over
  }

  /// Delivers the value to the joiners that are owed it, once it is known what they were called
  /// with first. For other observers it is no change. The lock must be held; it is unlocked in
  /// between.
  @usableFromInline
  func deliverToJoiners(on thread: CurrentThread) {
    while let value = delivered.value,
      let index = joiners.firstIndex(where: { $0.isOwed && !$0.isFirstAwaited })
    {
      let joiner = joiners.remove(at: index)
      lock.unlock()
      if !knows(value, joiner) { joiner.observation.receive(value, on: thread) }
      // Released while unlocked, because a deinit may run user code.
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
