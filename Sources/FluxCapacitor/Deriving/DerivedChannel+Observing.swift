extension DerivedChannel {
  /// Subscribes an observation, which is called with the current value first unless `ignoreFirst`.
  func join(_ observation: Observation<Element>, on queue: ExecuteQueue, ignoreFirst: Bool) {
    let thread = CurrentThread.current
    if !ignoreFirst { observation.prepareForFirst(on: thread) }
    ownDerivation.lockRoots()
    let isHeldBack = ownDerivation.willBeJoined()
    let activated = activate(on: thread)
    lock.lock()
    join(observation)
    // If this has activated the channel, the channel starts with the same value.
    let mayDiffer = activated.last !== self && (isHeldBack || !ownDerivation.pendingChanges.isEmpty)
    let state = ownDerivation.state
    let joiner =
      mayDiffer && ownDerivation.mayKeepValues ? addJoiner(observation, at: state) : nil
    joiner?.isFirstAwaited = !ignoreFirst
    lock.unlock()
    let isNeeded = !ignoreFirst || activated.contains { $0.derivation?.isChain == false }
    let evaluation = isNeeded ? Evaluation(of: ownDerivation) : nil
    ownDerivation.unlockRoots()

    for channel in activated {
      channel.derivation?.owner?.start(from: evaluation, at: state, on: thread)
    }
    if !ignoreFirst, let evaluation {
      evaluation.find(self)
      var value: Element = evaluation.value(of: self)
      if let joiner {
        value = note(value, evaluation.revision(of: self), asFirstOf: joiner)
      }
      observation.start(first: value, on: queue, thread)
    }
    thread.settle()
  }
}

extension DerivedChannel {
  /// The value, for an observer that must be called with the next change after it. If the value is
  /// from the middle of a transaction, that may be no change for other observers.
  func value(joinedBy observer: Dust) -> Element {
    guard ownDerivation.mayKeepValues else { return currentValue() }
    // A tracker observes this channel through an `Observation` of this element.
    let observation = unsafeDowncast(observer, to: Observation<Element>.self)
    let joiner = withRootsLocked { _ in addJoiner(observation, at: nil) }
    let value = currentValue()
    withRootsLocked { isHeldBack in
      // Nothing is on its way any more, and nobody is delivering or has claimed a change: what was in
      // between has been delivered.
      if !isHeldBack, ownDerivation.pendingChanges.isEmpty, deliverer.thread == 0 {
        joiners.removeAll { $0 === joiner }
      }
    }
    return value
  }

  /// Runs a closure under all locks, and passes it whether a transaction in progress has written.
  private func withRootsLocked<Result>(_ body: (_ isHeldBack: Bool) -> Result) -> Result {
    ownDerivation.lockRoots()
    defer { ownDerivation.unlockRoots() }
    let isHeldBack = ownDerivation.willBeJoined()
    return lock.withLock { body(isHeldBack) }
  }

  /// Adds an observation that may be called first with a value that the others are never called
  /// with. The lock must be held, and those of the roots.
  private func addJoiner(
    _ observation: Observation<Element>,
    at state: CombinedVersion?
  ) -> Joiner {
    let joiner = Joiner(observation, since: version, at: state)
    joiners.append(joiner)
    return joiner
  }

  /// Notes the first value of a joiner, and returns what to call it with first: that, or what it has been
  /// owed since, which all others know.
  private func note(
    _ value: Element,
    _ revision: Revision,
    asFirstOf joiner: Joiner
  ) -> Element {
    lock.lock()
    defer { lock.unlock() }
    joiner.first = (value: value, revision: revision, sources: revision.edition)
    joiner.isFirstAwaited = false
    // If a thread is delivering, it comes to the joiner before it ends.
    guard joiner.isOwed, deliverer.thread == 0, let owed = delivered.value else { return value }
    joiners.removeAll { $0 === joiner }
    return owed
  }
}
