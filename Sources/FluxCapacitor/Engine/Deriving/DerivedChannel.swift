import Synchronization

/// The channel of a derived constant, which `map`, `combine` and `removeDuplicates` return. A formula
/// computes the channel's value from the values of its sources.
///
/// Without observers, the channel computes its value when a thread reads it after a source has changed.
/// While the channel is observed, it is linked to its sources; see `Node`. An observed channel computes
/// each change once, before delivering it. A reader can compute a change before the deliverer does. So
/// the channel keeps the reader's value in `memo`, apart from the delivered value.
@usableFromInline
final class DerivedChannel<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  @usableFromInline let formula: @Sendable (Reading) -> Element

  /// The predicate of a constant that skips consecutive equal values, or `nil` for a constant that skips
  /// nothing.
  @usableFromInline let isSame: (@Sendable (Element, Element) -> Bool)?

  @usableFromInline let ownNode: Node

  /// The last delivered value, which exists even if only constants downstream have observers. The
  /// region's deliverer writes this value under the region's lock. While no thread is delivering the
  /// region, a subscriber may write this value under the lock.
  @exclusivity(unchecked) @usableFromInline var delivered: Element?

  /// The last value that a reader has computed, with its fingerprint. The region's lock guards the memo.
  @exclusivity(unchecked) @usableFromInline var memo: (value: Element, fingerprint: Fingerprint)?

  /// The fingerprint of the memo's value. Relaxed ordering is enough, because a thread without the lock uses this number
  /// only to decide whether to look at the memo. If the number is out of date, the thread at worst
  /// computes a value again.
  @usableFromInline let memoFingerprint = ScheduledAtomic<UInt64>(.max)

  @inlinable init(
    from edges: [Edge],
    isSame: (@Sendable (Element, Element) -> Bool)? = nil,
    formula: @escaping @Sendable (Reading) -> Element
  ) {
    self.formula = formula
    self.isSame = isSame
    ownNode = Node(from: edges, keepsValues: isSame != nil) { channel, node, operation in
      // The closure is called only with the channel that owns the node, so the downcast is safe.
      let channel = unsafeDowncast(channel, to: DerivedChannel.self)
      switch operation {
      case .compute: node.isChanged = channel.computeChange(node)
      case .deliver(let observers, let thread):
        guard let delivered = channel.delivered else { return }
        let version = node.region.use { $0.version }
        channel.callObservers(in: observers, with: delivered, of: version, on: thread)
      case .recall(let evaluation): channel.recall(in: evaluation)
      case .evaluate(let evaluation): channel.evaluate(in: evaluation)
      case .start(let evaluation): channel.start(from: evaluation)
      case .stop(let discarded): discarded.pointee.append(channel.delivered.take() as Any)
      }
    }
    super.init(handles: AnyChannel.derived | 1)
    ownNode.attach(to: self)
  }

  @usableFromInline override var regionChannel: AnyChannel {
    ownNode.regionChannel.takeUnretainedValue()
  }

  @usableFromInline override var node: Node? { ownNode }

  override var description: String { "A derived Constant<\(Element.self)>" }

  // MARK: Delivering

  /// Computes the constant's value for the change that is being delivered.
  ///
  /// - Returns: `false` if the new value is equal to the delivered value, which the channel then keeps.
  @inlinable func computeChange(_ node: Node) -> Bool {
    node.region.use { region in
      // The formula calls `Edge.sourceValue(for:)` or `Input.value(for:)`, which returns the value that the region has
      // computed for the source.
      let hasMemo = memoFingerprint.read { $0.load(ordering: .relaxed) } != .max
      let value = (hasMemo ? takeMemo(for: region) : nil) ?? formula(.region)
      if let isSame, let delivered, isSame(delivered, value) { return false }
      var former: Element? = value
      region.channel.use { channel in
        channel.lock.lock()
        swap(&former, &delivered)
        node.deliveredFingerprint = region.fingerprint
        if node.snapshot != nil { node.forgetSnapshot() }
        if firstObservation != nil { region.observed.append((.passUnretained(node), stretch)) }
        channel.lock.unlock()
      }
      // The former value is released after unlocking, because a `deinit` can run user code.
      withExtendedLifetime(former) {}
      return true
    }
  }

  /// Removes the memo, and returns its value if it belongs to the region's change. Only a memo for a later change stays.
  @usableFromInline func takeMemo(for region: Region) -> Element? {
    var memo: (value: Element, fingerprint: Fingerprint)?
    regionChannel.lock.withLock {
      let isLast = regionChannel.version == region.version
      if isLast || self.memo?.fingerprint == region.fingerprint { replaceMemo(with: &memo) }
    }
    return memo?.fingerprint == region.fingerprint ? memo?.value : nil
  }

  // MARK: Observing

  /// Subscribes an observation. Unless `ignoreFirst` is true, the observer is first called with the
  /// current value.
  @usableFromInline func subscribeObserver(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {
    recordOperation("observes", self)
    let thread = currentThread()
    observation.prepare(ignoreFirst: ignoreFirst, on: thread)
    let node = ownNode
    node.lockRoots()
    var (activated, snapshot) = node.activate(needingValue: !ignoreFirst, on: thread)
    var first: Element?
    withRegionLocked { region in
      // The observer starts with the current value, as an observer of a variable does. But a combination can be behind an open
      // transaction, and a constant that skips values might never deliver it. So their observers join the others.
      let joins = snapshot == nil && (region.isDerived || node.needsValue) && node.isUncommitted
      // Without a first value, the observer continues from none. The commit has a later version in such a region.
      let continues = joins && !(ignoreFirst && region.isDerived)
      link(observation, since: continues ? .beginning : region.version)
      if ignoreFirst || snapshot != nil { return }
      if joins || node.deliveredFingerprint == node.currentFingerprint { first = delivered }
      if first == nil { snapshot = joins ? node.snapshot : Evaluation.Snapshot(of: node) }
    }
    node.unlockRoots()

    if let snapshot {
      let evaluation = Evaluation(from: snapshot)
      for node in activated { node.start(from: evaluation, on: thread) }
      if !ignoreFirst, first == nil {
        evaluation.compute(self)
        // The value's type is stated, because a cast to an optional would flatten a nil inside an existential.
        first = .some(evaluation.value(of: self) as Element)
      }
      releaseAfterUnlocking(evaluation)
    }
    if let first { observation.start(first: first, on: queue, thread) }
    thread.deliverPlaces()
  }

  /// Makes an evaluation's value the delivered value, unless a change was delivered since the node became
  /// active, or another thread is delivering.
  @inlinable func start(from evaluation: Evaluation) {
    evaluation.compute(self)
    var value = Optional(evaluation.value(of: self) as Element)
    var formerMemo: (value: Element, fingerprint: Fingerprint)?
    let (region, fingerprint) = (regionChannel, evaluation.fingerprint(of: ownNode))
    region.lock.lock()
    if ownNode.canStart(from: evaluation) {
      swap(&value, &delivered)
      ownNode.deliveredFingerprint = fingerprint
      ownNode.forgetSnapshot()
      // The memo would keep the value after the next change.
      if memo?.fingerprint == fingerprint { replaceMemo(with: &formerMemo) }
    }
    region.lock.unlock()
    // The replaced values are released after unlocking, because a `deinit` can run user code.
    releaseAfterUnlocking((value, formerMemo))
    withExtendedLifetime((value, formerMemo)) {}
  }

  /// Does nothing, because the channel continues to call its observers without a handle.
  override func close() {}

  override func observersMayHaveLeft() { ownNode.deactivateIfUnobserved() }
}

// MARK: - Reading

extension DerivedChannel {
  @inlinable func currentValue() -> Element {
    ownNode.regionChannel.use { region in
      if region.isDerived { return evaluate() }
      // `acquire` waits for the end of another thread's mutation, and traps inside this thread's own
      // mutation.
      region.acquire()
      let value = known(at: Fingerprint(region.version))
      let mayKeep = isSame != nil && ownNode.isActive
      region.lock.unlock()
      if let value { return value }
      let isKeeping = mayKeep || currentThread().holdsLock && region.holdsObjects
      return isKeeping || !ownNode.readsOneVariable ? evaluate() : computeDirectly()
    }
  }

  /// Returns the constant's value for the current values of its variables.
  @usableFromInline func evaluate() -> Element {
    ownNode.lockRoots()
    let found = withRegionLocked { _ in known(at: ownNode.currentFingerprint) }
    let evaluation = found == nil ? Evaluation(from: Evaluation.Snapshot(of: ownNode)) : nil
    ownNode.unlockRoots()
    evaluation?.compute(self)
    defer { if currentThread().holdsLock { evaluation?.forgetVariables(of: ownNode) } }
    return found ?? evaluation.unsafelyUnwrapped.value(of: self)
  }

  /// Returns the delivered value or the memo, whichever has the given fingerprint, or `nil`. The caller
  /// must hold the region's lock.
  @inlinable func known(at fingerprint: Fingerprint) -> Element? {
    if let delivered, ownNode.deliveredFingerprint == fingerprint { return delivered }
    return memo?.fingerprint == fingerprint ? memo?.value : nil
  }

  /// Replaces the memo, and passes the former memo back, so that the caller can release it after
  /// unlocking. The caller must hold the region's lock.
  @inlinable func replaceMemo(with memo: inout (value: Element, fingerprint: Fingerprint)?) {
    memoFingerprint.unscheduled.store(memo?.fingerprint.value ?? .max, ordering: .relaxed)
    swap(&memo, &self.memo)
  }

  /// Computes the constant's value from its only source, which is a variable.
  @inlinable func computeDirectly() -> Element {
    var version = Version.beginning
    let value = withUnsafeMutablePointer(to: &version) { formula(.variable($0)) }
    remember(value, at: Fingerprint(version))
    return value
  }

  /// Adds the constant's value to an evaluation if the value is known.
  @inlinable func recall(in evaluation: Evaluation) {
    let fingerprint = evaluation.fingerprint(of: ownNode)
    let found = regionChannel.lock.withLock { known(at: fingerprint) }
    if let found { evaluation.add(found, of: self) }
  }

  /// Adds the constant's value to an evaluation that already contains the values of the sources.
  @inlinable func evaluate(in evaluation: Evaluation) {
    let mightSkip = isSame != nil && regionChannel.lock.withLock { ownNode.isActive }
    let isProvisional = evaluation.isProvisional || mightSkip
    evaluation.isProvisional = isProvisional
    var fingerprint = evaluation.fingerprint(of: ownNode)
    if isProvisional { fingerprint = fingerprint.ofProvisional }
    let found = isProvisional ? regionChannel.lock.withLock { known(at: fingerprint) } : nil
    let value = found ?? formula(.evaluation(evaluation))
    if found == nil { remember(value, at: fingerprint) }
    evaluation.add(value, of: self)
  }

  /// Stores a reader's value in the memo.
  @inlinable func remember(_ value: Element, at fingerprint: Fingerprint) {
    var memo: (value: Element, fingerprint: Fingerprint)? = (value, fingerprint)
    regionChannel.lock.withLock { replaceMemo(with: &memo) }
    releaseAfterUnlocking(memo)
  }
}

// The members below belong to `Channel`, not to a subclass; `ValueChannel.swift` gives the reason.
extension Channel {
  @inlinable final func derivedValue() -> Element {
    recordOperation("reads", self)
    let value = derivedChannel.currentValue()
    recordOperation("reads", self, value)
    return value
  }

  /// This channel as a derived constant's channel.
  @inlinable final var derivedChannel: DerivedChannel<Element> {
    unsafeDowncast(self, to: DerivedChannel<Element>.self)
  }
}
