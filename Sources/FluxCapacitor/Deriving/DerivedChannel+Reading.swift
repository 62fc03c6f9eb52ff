import Synchronization

// A derived constant is read at the current state of its variables, all of them at one time.

extension DerivedChannel {
  @inlinable func currentValue() -> Element {
    ownNode.regionChannel.use { region in
      if region.isDerived { return evaluate() }
      // During a mutation of the variable, this waits for its end or, on the mutation's own thread, traps.
      region.acquire()
      let value = known(at: StateID(region.version))?.value
      region.lock.unlock()
      return value ?? (ownNode.readsOneVariable ? computeDirectly() : evaluate())
    }
  }

  /// Returns the value at the current state of the variables.
  ///
  /// - Parameter observer: An observation that must be called when the value changes. It is marked
  ///   if it is ahead.
  @usableFromInline func evaluate(for observer: Dust? = nil) -> Element {
    ownNode.lockRoots()
    let found = withRegionLocked { region in
      if let observer { ownNode.noteIfAhead(observer, in: region) }
      return known(at: ownNode.currentState)?.value
    }
    let evaluation = found == nil ? Evaluation(of: ownNode) : nil
    ownNode.unlockRoots()
    evaluation?.compute(self)
    return found ?? evaluation.unsafelyUnwrapped.value(of: self)
  }

  /// Returns the delivered value or the memo, if it belongs to a state. The lock must be held.
  @inlinable func known(at state: StateID) -> (value: Element, edition: StateID)? {
    if let delivered, ownNode.deliveredState == state { return (delivered, ownNode.edition) }
    if let memo, memo.state == state { return (memo.value, memo.edition) }
    return nil
  }

  /// Replaces the memo, and passes back the former one for release after unlocking. The lock must be held.
  @inlinable func replaceMemo(with outcome: inout Outcome?) {
    memoState.unscheduled.store(outcome?.state.value ?? .max, ordering: .relaxed)
    swap(&outcome, &memo)
  }

  @inlinable func remember(_ outcome: Outcome) {
    var outcome: Outcome? = outcome
    regionChannel.lock.withLock {
      replaceMemo(with: &outcome)
      if !ownNode.isActive { isMemoLatest = true }
    }
    // Released after unlocking, because a deinit may run user code.
    withExtendedLifetime(outcome) {}
  }

  /// Computes the value from the variable that is the only source.
  @inlinable func computeDirectly() -> Element {
    var version = Version()
    let value = withUnsafeMutablePointer(to: &version) { formula(.variable($0)) }
    return remember(value, at: StateID(version), from: StateID(version)).value
  }

  /// Adds the value to an evaluation that has the values of the sources.
  @inlinable func evaluate(in evaluation: Evaluation) {
    let state = evaluation.state(of: ownNode)
    regionChannel.lock.lock()
    let (found, memo) = (known(at: state), memo)
    regionChannel.lock.unlock()
    if let found { return evaluation.add(found.value, edition: found.edition, of: self) }
    let sources = evaluation.editionOfSources(of: ownNode)
    if let memo, memo.sources == sources {
      remember((memo.value, state, memo.edition, sources))
      return evaluation.add(memo.value, edition: memo.edition, of: self)
    }
    let outcome = remember(formula(.evaluation(evaluation)), at: state, from: sources)
    evaluation.add(outcome.value, edition: outcome.edition, of: self)
  }

  /// Stores a reader's value in the memo. If it is equal to the value before, the memo keeps the
  /// value before.
  @inlinable func remember(_ value: Element, at state: StateID, from sources: StateID) -> Outcome {
    var outcome: Outcome = (value, state, state, sources)
    if let isSame, let before = valueBefore, isSame(before.value, value) {
      outcome = (before.value, state, before.edition, sources)
    }
    remember(outcome)
    return outcome
  }

  /// The previous value, with which a reader compares its own. It is the last delivered value, or
  /// the memo if a reader has stored one since. While the constant is observed, there is none: a
  /// reader ahead of a delivery can't know which value comes before.
  @inlinable var valueBefore: (value: Element, edition: StateID)? {
    regionChannel.lock.withLock {
      if ownNode.isActive { return nil }
      if let delivered, !isMemoLatest { return (delivered, ownNode.edition) }
      return memo.map { ($0.value, $0.edition) }
    }
  }
}
