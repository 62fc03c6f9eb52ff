// How a channel delivers to what derives from it, and how that computes and delivers in its turn.

extension Channel {
  /// Delivers a change to the inputs, which come before all other observations, to the observers if
  /// it is one for them, and then what those inputs have claimed. No lock may be held.
  @inlinable
  final func deliverToAll(
    _ value: Element,
    _ version: UInt64,
    _ revision: Revision,
    _ nodes: Backlog<Element>.Stretch,
    isChanged: Bool = true,
    on thread: CurrentThread
  ) {
    var (rest, hasClaimed): (Unmanaged<Dust>?, Bool) = (nil, false)
    AnyChannel.walk(from: nodes.first, through: nodes.last) { dust in
      guard dust.isInput else {
        rest = .passUnretained(dust)
        return false
      }
      // An input of this channel takes values of this element.
      let input = unsafeDowncast(dust, to: Input<Element>.self)
      if input.since < version, input.receive(value, version, revision, on: thread) {
        hasClaimed = true
      }
      return true
    }
    if isChanged, let rest {
      deliverToObservers(value, version, from: rest, through: nodes.last, on: thread)
    }
    guard hasClaimed else { return }
    withUnsafePointer(to: value) { pointer in
      AnyChannel.walk(from: nodes.first, through: nodes.last) { dust in
        guard dust.isInput else { return false }
        let input = unsafeDowncast(dust, to: AnyInput.self)
        if input.hasClaimed {
          input.hasClaimed = false
          // Unretained: the ring holds the input while this thread delivers, and that its derivation.
          Unmanaged.passUnretained(input.derivation)._withUnsafeGuaranteedRef {
            $0.deliverClaimed(input, UnsafeRawPointer(pointer), version, revision, thread)
          }
        }
        return true
      }
    }
  }
}

extension DerivedChannel {
  /// Computes and delivers the first pending change, if it is complete and no thread is delivering.
  @inlinable
  func deliverNext(on thread: CurrentThread) {
    lock.lock()
    if thread.isDueForHandover, tryToHandOver(on: thread) { return lock.unlock() }
    guard deliverer.thread == 0, ownDerivation.isReady else { return lock.unlock() }
    ownDerivation.takeFirst()
    deliverer = Deliverer(thread)
    lock.unlock()
    deliverTaken(on: thread)
  }

  /// Computes and delivers a change that a source's deliverer has claimed: it has made itself the
  /// deliverer of this channel, in `Input.receive`, before it called the source's observers.
  @inlinable
  func deliverClaimed(
    _ value: UnsafeRawPointer,
    _ version: UInt64,
    _ new: Revision,
    on thread: CurrentThread
  ) {
    guard ownDerivation.isRelay else { return deliverTaken(on: thread) }
    delivered = (known(at: new) ?? formula(.relayed(value)), new, new.edition)
    deliver(version, isChanged: true, on: thread)
    delivered.value = nil
    finishDelivering(on: thread)
  }

  /// Computes and delivers the pending change that `Derivation.takeFirst` has taken.
  @inlinable
  func deliverTaken(on thread: CurrentThread) {
    var (new, isChanged) = ownDerivation.advance()
    delivered.revision.state = new.state
    delivered.sources = new.edition
    if isChanged {
      let value = known(at: new) ?? formula(.delivered)
      if let isSame, let before = delivered.value, isSame(before, value) {
        isChanged = false
      } else {
        delivered.value = value
        delivered.revision.edition = new.edition
      }
    }
    deliver(ownDerivation.takenVersion, isChanged: isChanged, on: thread)
    finishDelivering(on: thread)
  }

  /// The value, if a reader has computed it already and not kept an earlier one instead.
  @inlinable
  func known(at new: Revision) -> Element? {
    guard let memo = remembered(at: new.state) else { return nil }
    return memo.sources == new.edition && memo.revision.edition == new.edition ? memo.value : nil
  }

  /// Whether no later change than this is on its way, which a reader may have computed and remembered
  /// ahead of it: whoever reads that state has seen the write, which was counted before. The lock must
  /// be held.
  @inlinable
  func isLatest(_ version: UInt64) -> Bool {
    guard ownDerivation.isRelay else { return self.version == version }
    lock.schedulePoint(.read)
    return ownDerivation.versionSource.version == version
  }

  /// Notes what is delivered now, and lets the inputs know that started with that value. The lock must be
  /// held.
  ///
  /// If nothing else is on its way, none is left: the others started in the middle of a transaction,
  /// with a state that isn't delivered.
  ///
  /// - Returns: The inputs until now, to be released after unlocking, because they may be the last to
  ///   hold what derives from this.
  @usableFromInline
  func noteJoined() -> [AnyInput] {
    known = delivered.revision
    let former = joining
    let isLast = ownDerivation.pendingChanges.isEmpty
    joining.removeAll { isLast || $0.joinedState == known.state }
    for input in former where input.joinedState == known.state { input.noteJoined(known.edition) }
    return former
  }

  /// Delivers the change or, if the value is the same as before, only lets the inputs know that it
  /// has arrived.
  @inlinable
  func deliver(_ version: UInt64, isChanged: Bool, on thread: CurrentThread) {
    var outcome: Outcome?
    if let value = delivered.value { outcome = (value, delivered.revision, delivered.sources) }
    lock.lock()
    // What a reader has remembered under another edition is not what is delivered.
    if outcome != nil || memo?.revision.edition != delivered.revision.edition, isLatest(version) {
      replaceMemo(with: &outcome)
    }
    // Whoever joins in between needs looking after only where equal values are kept.
    let joined = ownDerivation.mayKeepValues ? updateJoined(before: version, isChanged) : nil
    let first = isChanged || hasInputs || joined?.hasJoiners == true ? self.first : nil
    let last = first?._withUnsafeGuaranteedRef { $0.previous }
    let memo = delivered.value == nil ? self.memo : nil
    lock.unlock()
    // Released after unlocking, because a deinit may run user code.
    withExtendedLifetime((joined, outcome)) {}
    guard let first else { return }
    // Nobody has needed the value of the last change so far, if it is computed now.
    let known = memo?.revision.edition == delivered.revision.edition ? memo?.value : nil
    let value = delivered.value ?? known ?? formula(.delivered)
    delivered.value = value
    let revision = delivered.revision
    deliverToAll(value, version, revision, (first, last), isChanged: isChanged, on: thread)
  }

  /// Notes what is delivered now for those who joined while a change was on its way: which joiners
  /// are owed it, except those that already know what all others know. The lock must be held.
  ///
  /// - Returns: The inputs and joiners until now, to be released after unlocking, and whether some
  ///   joiners still need looking after.
  @usableFromInline
  func updateJoined(
    before version: UInt64,
    _ isChanged: Bool
  ) -> (inputs: [AnyInput], former: [Joiner], hasJoiners: Bool) {
    let before = known.state
    let inputs = noteJoined()
    guard !joiners.isEmpty else { return (inputs, [], false) }
    let former = joiners
    joiners = former.filter { joiner in
      // It may have started with this change, or with the one before.
      guard joiner.state != delivered.revision.state, joiner.state != before else { return false }
      guard joiner.since < version else { return true }
      // As long as its first value isn't known, it is called like all the others.
      joiner.isOwed = !isChanged || !joiner.isFirstAwaited
      if isChanged, joiner.isOwed { joiner.observation.since = version }
      return joiner.isOwed
    }
    return (inputs, former, !joiners.isEmpty)
  }

  /// Delivers the value to the joiners that are owed it, once it is known what they were called
  /// with first, unless they know it. The lock must be held; it is unlocked in
  /// between.
  @usableFromInline
  func deliverToJoiners(on thread: CurrentThread) {
    while let value = delivered.value,
      let index = joiners.firstIndex(where: { $0.isOwed && !$0.isFirstAwaited })
    {
      let joiner = joiners[index]
      // One that tracks reads may have joined with each of them.
      joiners.removeAll { $0.isOwed && $0.observation === joiner.observation }
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
      thread.pointee.changesOfOthers &+= 1
      thread.append(ownDerivation.delivery(to: self), isOwn: false)
    }
    if hasCleaned || first == nil { return detachCleaned() }
    lock.unlock()
  }
}
