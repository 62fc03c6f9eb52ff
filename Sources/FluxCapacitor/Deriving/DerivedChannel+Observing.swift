extension DerivedChannel {
  /// Subscribes an observation, which is told the value first if it asks for it.
  func join(_ observation: Observation<Element>, on queue: ExecuteQueue, ignoreFirst: Bool) {
    let thread = CurrentThread.current
    if !ignoreFirst { observation.prepareForFirst(on: thread) }
    ownDerivation.lockRoots()
    let isAmid = ownDerivation.willBeJoined()
    let activated = activate(on: thread)
    lock.lock()
    join(observation)
    // Who has activated it knows what it tells.
    let mayDiffer = activated.last !== self && (isAmid || !ownDerivation.pendingChanges.isEmpty)
    let joiner = mayDiffer && ownDerivation.mayKeepValues ? addJoiner(observation) : nil
    joiner?.isFirstAwaited = !ignoreFirst
    lock.unlock()
    let isNeeded = !ignoreFirst || activated.contains { $0.derivation?.isChain == false }
    let evaluation = isNeeded ? Evaluation(of: ownDerivation) : nil
    let state = ownDerivation.state
    ownDerivation.unlockRoots()

    for channel in activated {
      channel.derivation?.owner?.start(from: evaluation, at: state, on: thread)
    }
    if !ignoreFirst, let evaluation {
      evaluation.find(self)
      let value: Element = evaluation.value(of: self)
      if let joiner { note(value, evaluation.revision(of: self), toldTo: joiner, on: thread) }
      observation.start(first: value, on: queue, thread)
    }
    thread.settle()
  }
}

extension DerivedChannel {
  /// The value, for an observer that is to be told the next change after that: even if it is none for
  /// others, when what is read is of the midst of a transaction.
  func value(joinedBy observer: Dust) -> Element {
    guard ownDerivation.mayKeepValues else { return currentValue() }
    // Nothing but an `Observation` of this element observes this channel for a tracker.
    let observation = unsafeDowncast(observer, to: Observation<Element>.self)
    let joiner = withRootsLocked { _ in addJoiner(observation) }
    let value = currentValue()
    withRootsLocked { isAmid in
      // If something was on its way in between, it has been told.
      if !isAmid, ownDerivation.pendingChanges.isEmpty { joiners.removeAll { $0 === joiner } }
    }
    return value
  }

  /// Does something with all locks in hand; it is handed whether a transaction has written something.
  private func withRootsLocked<Result>(_ body: (_ isAmid: Bool) -> Result) -> Result {
    ownDerivation.lockRoots()
    defer { ownDerivation.unlockRoots() }
    let isAmid = ownDerivation.willBeJoined()
    return lock.withLock { body(isAmid) }
  }

  /// Notes somebody who may be told first what the others are not told; the lock is held, and those of the
  /// roots are.
  private func addJoiner(_ observation: Observation<Element>) -> Joiner {
    let joiner = Joiner(observation, since: version, at: ownDerivation.state)
    joiners.append(joiner)
    return joiner
  }

  /// Notes what somebody is told first who has joined while a change was on its way; and tells it, as the
  /// deliverer, what it is owed by now.
  private func note(
    _ value: Element,
    _ revision: Revision,
    toldTo joiner: Joiner,
    on thread: CurrentThread
  ) {
    lock.lock()
    joiner.first = (value: value, revision: revision, sources: revision.edition)
    joiner.isFirstAwaited = false
    guard joiner.isOwed, deliverer.thread == 0 else { return lock.unlock() }
    deliverer = Deliverer(thread)
    lock.unlock()
    finishDelivering(on: thread)
  }
}
