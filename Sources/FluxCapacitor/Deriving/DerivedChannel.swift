import Synchronization

/// A value that is computed from those of its sources: the channel of what `map`, `combine` and
/// `removeDuplicates` return.
///
/// While nobody observes it, it computes when it is read, if a source has changed since. While it
/// is observed, it is linked to its sources, and computes each change once, before it is delivered;
/// see `Node`. What readers compute is kept apart from what was delivered, because they may be ahead.
@usableFromInline
final class DerivedChannel<Element: Sendable>: ComputedChannel<Element>, @unchecked Sendable {
  @usableFromInline let formula: @Sendable (Reading) -> Element

  /// Returns whether two values are equal, if this constant skips consecutive equal values.
  @usableFromInline let isSame: (@Sendable (Element, Element) -> Bool)?

  @usableFromInline let ownNode: Node

  /// The value that was delivered last, or would have been. Written under the region's lock, and only
  /// by the region's deliverer or while there is none.
  @exclusivity(unchecked) @usableFromInline var delivered: Element?

  /// What a reader has computed last. Guarded by the region's lock.
  @exclusivity(unchecked) @usableFromInline var memo: Outcome?

  /// The state of `memo`. Relaxed: it only tells a thread without the lock whether to look, and at
  /// worst something is computed again.
  @usableFromInline let memoState = ScheduledAtomic<UInt64>(.max)

  /// A value, the state for which it was computed or found to be the same, the state in which it became
  /// that (its edition), and the editions of the sources that it was computed from.
  @usableFromInline
  typealias Outcome = (value: Element, state: StateID, edition: StateID, sources: StateID)

  @inlinable init(
    from sources: [AnySource],
    isSame: (@Sendable (Element, Element) -> Bool)? = nil,
    formula: @escaping @Sendable (Reading) -> Element
  ) {
    self.formula = formula
    self.isSame = isSame
    // The closures are only called with the channel that owns this node.
    let operations = Node.Operations(
      compute: { unsafeDowncast($0, to: DerivedChannel.self).computeChange($1) },
      callObservers: { unsafeDowncast($0, to: DerivedChannel.self).callObservers($1, on: $2) },
      evaluate: { unsafeDowncast($0, to: DerivedChannel.self).evaluate(in: $1) },
      start: { unsafeDowncast($0, to: DerivedChannel.self).start(from: $1) }
    )
    ownNode = Node(from: sources, keepsValues: isSame != nil, operations)
    super.init { unsafeDowncast($0, to: DerivedChannel.self).currentValue() }
    ownNode.attach(to: self)
    existingAttachments().downstream = ownNode
  }

  @usableFromInline override var region: AnyChannel {
    ownNode.regionChannel.takeUnretainedValue()
  }

  override var description: String { "A derived Constant<\(Element.self)>" }

  // MARK: Delivering

  /// Computes the change that is being delivered.
  ///
  /// - Returns: Whether it is another value. If not, nothing has happened.
  @inlinable func computeChange(_ node: Node) -> Bool {
    node.region.use { region in
      let value = takeMemo(at: region.state) ?? formula(node.isFirst ? .inputs : .region)
      if let isSame, !node.isFirstChange, let delivered, isSame(delivered, value) { return false }
      var former: Element? = value
      region.channel.use { channel in
        channel.lock.lock()
        swap(&former, &delivered)
        node.didCompute(at: region.state, for: region.version)
        channel.lock.unlock()
      }
      // Released after unlocking, because a deinit may run user code.
      withExtendedLifetime(former) {}
      return true
    }
  }

  /// The value, if a reader has computed it for this state, and not kept an earlier one instead.
  @inlinable func takeMemo(at state: StateID) -> Element? {
    let memoState = memoState.read { $0.load(ordering: .relaxed) }
    return memoState == state.value ? takeExistingMemo(at: state) : nil
  }

  @usableFromInline func takeExistingMemo(at state: StateID) -> Element? {
    var memo: Outcome?
    region.lock.lock()
    let isKnown = self.memo?.state == state && (isSame == nil || self.memo?.edition == state)
    if isKnown { replaceMemo(with: &memo) }
    region.lock.unlock()
    return memo?.value
  }

  @inlinable func callObservers(_ node: Node, on thread: CurrentThread) {
    guard let value = delivered else { return }
    let version = node.region.use { $0.version }
    AnyChannel.walk(node.observers) { dust in
      // All observations of this channel are of its element.
      let observation = unsafeDowncast(dust, to: Observation<Element>.self)
      let isCalled = node.isChanged ? observation.since < version : observation.isOwed
      observation.isOwed = false
      if isCalled { observation.receive(value, on: thread) }
    }
  }

  // MARK: Observing

  override func join(_ observation: Observation<Element>, on queue: ExecuteQueue, ignoreFirst: Bool)
  {
    let thread = CurrentThread.current
    if !ignoreFirst { observation.prepareForFirst(on: thread) }
    let node = ownNode
    node.lockRoots()
    let activated = node.activate(on: thread)
    let isAhead = node.isAhead
    let region = region
    if region.isDerived { region.lock.lock() }
    link(observation, since: region.version)
    if isAhead { noteAhead(observation) }
    let known = activated.isEmpty && !ignoreFirst ? known(at: node.currentState)?.value : nil
    if region.isDerived { region.lock.unlock() }
    let isNeeded = !ignoreFirst && known == nil || activated.contains { $0.needsValues }
    let evaluation = isNeeded ? Evaluation(of: node) : nil
    node.unlockRoots()

    if let evaluation {
      for node in activated { node.start(from: evaluation, isAhead: isAhead, on: thread) }
      if !ignoreFirst, known == nil { evaluation.find(self) }
    }
    if !ignoreFirst, let first = known ?? evaluation?.value(of: self) {
      observation.start(first: first, on: queue, thread)
    }
    thread.settle()
  }

  /// The region's lock must be held.
  func noteAhead(_ observer: Dust) {
    observer.isAhead = true
    ownNode.hasObserversAhead = true
  }

  override func value(for observer: Dust) -> Element {
    guard ownNode.mayKeepValues else { return currentValue() }
    // It is ahead until it is known that no transaction has written the value.
    let (wasAhead, version) = withRootsLocked { isAhead in
      defer { noteAhead(observer) }
      return (isAhead || observer.isAhead, region.version)
    }
    let value = currentValue()
    withRootsLocked { isAhead in
      if !wasAhead, !isAhead, region.version == version { observer.isAhead = false }
    }
    return value
  }

  /// Runs a closure under the locks of the roots and of the region, and passes it whether a reader is
  /// ahead of what is delivered.
  private func withRootsLocked<Result>(_ body: (_ isAhead: Bool) -> Result) -> Result {
    ownNode.lockRoots()
    defer { ownNode.unlockRoots() }
    return withRegionLocked { _ in body(ownNode.isAhead) }
  }

  override func becameUnobserved() { ownNode.deactivateIfUnobserved() }
}
