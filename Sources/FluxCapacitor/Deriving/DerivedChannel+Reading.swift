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
      let value = known(at: StateID(region.version))
      region.lock.unlock()
      return value ?? (ownNode.readsOneVariable ? computeDirectly() : evaluate())
    }
  }

  /// Returns the constant's value at the current state of its variables.
  @usableFromInline func evaluate() -> Element {
    ownNode.lockRoots()
    let found = withRegionLocked { _ in known(at: ownNode.currentState) }
    let evaluation = found == nil ? Evaluation(from: Evaluation.Start(of: ownNode)) : nil
    ownNode.unlockRoots()
    evaluation?.compute(self)
    return found ?? evaluation.unsafelyUnwrapped.value(of: self)
  }

  /// Returns the delivered value or the memo, whichever belongs to the given state, or `nil`. The caller
  /// must hold the region's lock.
  @inlinable func known(at state: StateID) -> Element? {
    if let delivered, ownNode.deliveredState == state { return delivered }
    return memo?.state == state ? memo?.value : nil
  }

  /// Replaces the memo, and passes the former memo back, so that the caller can release it after
  /// unlocking. The caller must hold the region's lock.
  @inlinable func replaceMemo(with memo: inout (value: Element, state: StateID)?) {
    memoState.unscheduled.store(memo?.state.value ?? .max, ordering: .relaxed)
    swap(&memo, &self.memo)
  }

  /// Computes the constant's value from its only source, which is a variable.
  @inlinable func computeDirectly() -> Element {
    var version = Version()
    let value = withUnsafeMutablePointer(to: &version) { formula(.variable($0)) }
    remember(value, at: StateID(version))
    return value
  }

  /// Adds the constant's value to an evaluation that already contains the values of the sources.
  @inlinable func evaluate(in evaluation: Evaluation) {
    let state = evaluation.state(of: ownNode)
    if let found = regionChannel.lock.withLock({ known(at: state) }) {
      return evaluation.add(found, of: self)
    }
    let value = formula(.evaluation(evaluation))
    remember(value, at: state)
    evaluation.add(value, of: self)
  }

  /// Stores a reader's value in the memo.
  @inlinable func remember(_ value: Element, at state: StateID) {
    var memo: (value: Element, state: StateID)? = (value, state)
    regionChannel.lock.withLock { replaceMemo(with: &memo) }
    // The former memo is released after unlocking, because a `deinit` can run user code.
    withExtendedLifetime(memo) {}
  }
}

// The members below belong to `Channel`, not to a subclass; `ValueChannel.swift` gives the reason.
extension Channel {
  @inlinable final func derivedValue() -> Element {
    recordOperation("reads", self)
    derivedChannel.ownNode.trackRead()
    let value = derivedChannel.currentValue()
    recordOperation("reads", self, value)
    return value
  }

  /// This channel as a derived constant's channel.
  @inlinable final var derivedChannel: DerivedChannel<Element> {
    unsafeDowncast(self, to: DerivedChannel<Element>.self)
  }
}

extension Node {
  /// Reports a read of the node's variables to Observation, which tracks either all reads of this thread or none
  /// of them.
  @usableFromInline func trackRead() {
    for root in roots { guard root.channel.trackRead() else { return } }
  }
}
