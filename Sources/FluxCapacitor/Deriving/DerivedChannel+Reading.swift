import Synchronization

// A read of a derived constant returns a value that belongs to the values of all its variables at one
// moment.

extension DerivedChannel {
  @inlinable func currentValue() -> Element {
    ownNode.regionChannel.use { region in
      if region.isDerived { return evaluate() }
      // `acquire` waits for the end of another thread's mutation, and traps inside this thread's own
      // mutation.
      region.acquire()
      let value = known(at: StateID(region.version))?.value
      region.lock.unlock()
      return value ?? (ownNode.readsOneVariable ? computeDirectly() : evaluate())
    }
  }

  /// Returns the constant's value at the current state of its variables.
  @usableFromInline func evaluate() -> Element {
    ownNode.lockRoots()
    let found = withRegionLocked { _ in known(at: ownNode.currentState)?.value }
    let evaluation = found == nil ? Evaluation(from: Evaluation.Start(of: ownNode)) : nil
    ownNode.unlockRoots()
    evaluation?.compute(self)
    return found ?? evaluation.unsafelyUnwrapped.value(of: self)
  }

  /// Returns the delivered value or the memo, whichever belongs to the given state, or `nil`. The caller
  /// must hold the region's lock.
  @inlinable func known(at state: StateID) -> (value: Element, edition: StateID)? {
    if let delivered, ownNode.deliveredState == state { return (delivered, ownNode.edition) }
    if let memo, memo.state == state { return (memo.value, memo.edition) }
    return nil
  }

  /// Replaces the memo, and passes the former memo back, so that the caller can release it after
  /// unlocking. The caller must hold the region's lock.
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
    // The former memo is released after unlocking, because a `deinit` can run user code.
    withExtendedLifetime(outcome) {}
  }

  /// Computes the constant's value from its only source, which is a variable.
  @inlinable func computeDirectly() -> Element {
    var version = Version()
    let value = withUnsafeMutablePointer(to: &version) { formula(.variable($0)) }
    return remember(value, at: StateID(version), from: StateID(version)).value
  }

  /// Adds the constant's value to an evaluation that already contains the values of the sources.
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

  /// Stores a reader's value in the memo. If this value is equal to the previous value, the memo keeps
  /// the previous value.
  @inlinable func remember(_ value: Element, at state: StateID, from sources: StateID) -> Outcome {
    var outcome: Outcome = (value, state, state, sources)
    if let isSame, let before = valueBefore, isSame(before.value, value) {
      outcome = (before.value, state, before.edition, sources)
    }
    remember(outcome)
    return outcome
  }

  /// The previous value, with which a reader compares its own value. The previous value is the memo if a
  /// reader has stored a memo since the last delivery, and otherwise the delivered value. While the
  /// constant is observed, this property is `nil`, because a reader ahead of a delivery can't know the
  /// previous value.
  @inlinable var valueBefore: (value: Element, edition: StateID)? {
    regionChannel.lock.withLock {
      if ownNode.isActive { return nil }
      if let delivered, !isMemoLatest { return (delivered, ownNode.edition) }
      return memo.map { ($0.value, $0.edition) }
    }
  }
}
