// Who joins while a change is on its way.

extension DerivedChannel {
  /// Runs a closure under all locks, and passes it whether a transaction in progress has written.
  func withRootsLocked<Result>(_ body: (_ isHeldBack: Bool) -> Result) -> Result {
    ownDerivation.lockRoots()
    defer { ownDerivation.unlockRoots() }
    let isHeldBack = ownDerivation.willBeJoined()
    return lock.withLock { body(isHeldBack) }
  }

  /// Adds an observation that may be called first with a value that the others are never called
  /// with. The lock must be held, and those of the roots.
  func addJoiner(_ observation: Observation<Element>, at state: CombinedVersion?) -> Joiner {
    let joiner = Joiner(observation, since: version, at: state)
    joiners.append(joiner)
    return joiner
  }

  /// Notes the first value of a joiner, and returns what to call it with first: that, or what it has been
  /// owed since, which all others know.
  func note(_ value: Element, _ revision: Revision, asFirstOf joiner: Joiner) -> Element {
    lock.lock()
    defer { lock.unlock() }
    joiner.first = (value: value, revision: revision, sources: revision.edition)
    joiner.isFirstAwaited = false
    // If a thread is delivering, it comes to the joiner before it ends.
    guard joiner.isOwed, deliverer.thread == 0, let owed = delivered.value else { return value }
    joiners.removeAll { $0 === joiner }
    return owed
  }

  func noteLate(_ input: AnyInput) {
    guard ownDerivation.mayKeepValues else { return }
    let state = ownDerivation.state
    lock.withLock {
      if known.state == state { return input.noteJoined(known.edition) }
      input.joinedState = state
      joining.append(input)
    }
  }

  @inlinable
  func start(from evaluation: Evaluation?, at state: CombinedVersion, on thread: CurrentThread) {
    let state = evaluation?.state(of: ownDerivation) ?? state
    // Maps of one variable need no value to start with.
    let evaluation = ownDerivation.isChain ? nil : evaluation
    var revision = Revision(state: state)
    if let evaluation {
      for source in ownDerivation.sources { evaluation.find(source.channel) }
      revision = evaluation.revision(of: ownDerivation)
    }
    delivered.sources = revision.edition
    delivered.value = nil
    if let evaluation, isSame != nil {
      evaluation.find(self)
      delivered.value = evaluation.value(of: self)
      revision = evaluation.revision(of: self)
    }
    delivered.revision = revision
    _ = ownDerivation.mayKeepValues ? lock.withLock { noteJoined() } : []
    ownDerivation.forEachInput { $1.start(from: evaluation, at: state) }
    finishDelivering(on: thread)
  }
}
