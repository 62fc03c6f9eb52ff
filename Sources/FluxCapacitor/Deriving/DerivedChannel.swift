import Synchronization

/// The channel of a derived constant, which `map`, `combine` and `removeDuplicates` return. Its
/// value is computed from the values of its sources.
///
/// Without observers, it computes its value when it is read, if a source has changed since. While
/// it is observed, it is linked to its sources, and computes each change once, before delivering
/// it; see `Node`. Readers may be ahead of the delivery, so the values that they compute are kept
/// apart.
@usableFromInline
final class DerivedChannel<Element: Sendable>: ComputedChannel<Element>, @unchecked Sendable {
  @usableFromInline let formula: @Sendable (Reading) -> Element

  /// Returns whether two values are equal, if this constant skips consecutive equal values.
  @usableFromInline let isSame: (@Sendable (Element, Element) -> Bool)?

  @usableFromInline let ownNode: Node

  /// The last delivered value, which exists even if the channel has no observers of its own.
  /// Written under the region's lock by the region's deliverer or, while the region has none, by a
  /// subscriber.
  @exclusivity(unchecked) @usableFromInline var delivered: Element?

  /// The last value that a reader has computed. Guarded by the region's lock.
  @exclusivity(unchecked) @usableFromInline var memo: Outcome?

  /// Whether the memo was stored after the last observation ended. Guarded by the region's lock.
  @exclusivity(unchecked) @usableFromInline var isMemoLatest = false

  /// The state of `memo`. Relaxed: a thread without the lock uses it only to decide whether to look
  /// at the memo. At worst, a value is computed again.
  @usableFromInline let memoState = ScheduledAtomic<UInt64>(.max)

  /// A value, and the state of the variables that it belongs to. `edition` is the state in which it
  /// became the value, and `sources` combines the editions of the sources that it was computed
  /// from.
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
    let operations: Node.Operations = (
      compute: { unsafeDowncast($0, to: DerivedChannel.self).computeChange($1) },
      callObservers: { unsafeDowncast($0, to: DerivedChannel.self).callObservers($1, on: $2) },
      evaluate: { unsafeDowncast($0, to: DerivedChannel.self).evaluate(in: $1) },
      start: { unsafeDowncast($0, to: DerivedChannel.self).start(from: $1) }
    )
    ownNode = Node(from: sources, keepsValues: isSame != nil, operations)
    super.init { unsafeDowncast($0, to: DerivedChannel.self).currentValue() }
    ownNode.attach(to: self)
    ensureAttachments().downstream = ownNode
  }

  @usableFromInline override var regionChannel: AnyChannel {
    ownNode.regionChannel.takeUnretainedValue()
  }

  /// Returns a place in a round that delivers the first pending change of the region that this
  /// channel begins.
  @usableFromInline override func place(through version: Version) -> PendingDelivery {
    PendingDelivery(to: self, through: version) { channel, version, thread in
      // The place's target is this channel.
      unsafeDowncast(channel, to: AnyChannel.self).derivedNode?.region.use {
        $0.deliverNext(through: version, on: thread)
      }
    }
  }

  override var description: String { "A derived Constant<\(Element.self)>" }

  // MARK: Delivering

  /// Computes the change that is being delivered.
  ///
  /// - Returns: Whether there is a new value. If not, the channel keeps the delivered one.
  @inlinable func computeChange(_ node: Node) -> Bool {
    node.region.use { region in
      let value = takeMemo(at: region.state) ?? formula(.region)
      if let isSame, !node.isFirstChange, let delivered, isSame(delivered, value) { return false }
      var former: Element? = value
      region.channel.use { channel in
        channel.lock.lock()
        swap(&former, &delivered)
        isMemoLatest = false
        node.didCompute(at: region.state, for: region.version)
        channel.lock.unlock()
      }
      // Released after unlocking, because a deinit may run user code.
      withExtendedLifetime(former) {}
      return true
    }
  }

  /// Takes the value from the memo, if a reader has computed it for a state. If this constant skips
  /// equal values, a value from an earlier state doesn't count.
  @inlinable func takeMemo(at state: StateID) -> Element? {
    let memoState = memoState.read { $0.load(ordering: .relaxed) }
    return memoState == state.value ? takeExistingMemo(at: state) : nil
  }

  @usableFromInline func takeExistingMemo(at state: StateID) -> Element? {
    var memo: Outcome?
    regionChannel.lock.lock()
    let isKnown = self.memo?.state == state && (isSame == nil || self.memo?.edition == state)
    if isKnown { replaceMemo(with: &memo) }
    regionChannel.lock.unlock()
    return memo?.value
  }

  @inlinable func callObservers(_ node: Node, on thread: CurrentThread) {
    guard let delivered else { return }
    callObservers(
      in: node.observers,
      with: delivered,
      of: node.region.use { $0.version },
      isChanged: node.isChanged,
      on: thread
    )
  }

  // MARK: Observing

  override func subscribeObserver(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {
    let thread = CurrentThread.current
    if !ignoreFirst { observation.prepareForFirst(on: thread) }
    let node = ownNode
    node.lockRoots()
    let activated = node.activate(on: thread)
    let staysFresh = node.hasOpenRoots
    let found = withRegionLocked { region in
      // The open transaction's commit is yet to be announced to a region that begins with a constant.
      let isBehind = staysFresh && node.mayKeepValues && region.isDerived
      link(observation, since: isBehind ? region.version.next : region.version)
      node.noteIfAhead(observation, in: region)
      return known(at: node.currentState)?.value
    }
    let needsFirst = !ignoreFirst && found == nil
    let isNeeded = needsFirst || activated.contains(where: \.needsValues)
    let evaluation = isNeeded ? Evaluation(of: node) : nil
    node.unlockRoots()

    if let evaluation {
      for node in activated { node.start(from: evaluation, staysFresh: staysFresh, on: thread) }
      if needsFirst { evaluation.compute(self) }
    }
    if !ignoreFirst, let first = found ?? evaluation?.value(of: self) {
      observation.start(first: first, on: queue, thread)
    }
    thread.settle()
  }

  override func value(andNoteIfAhead tracker: Dust) -> Element {
    ownNode.mayKeepValues ? evaluate(for: tracker) : currentValue()
  }

  /// Makes an evaluation's value the delivered value, unless a change has been delivered since or
  /// another thread is delivering a change.
  @inlinable func start(from evaluation: Evaluation) {
    let node = ownNode
    evaluation.compute(self)
    var value: Element? = evaluation.value(of: self)
    let region = regionChannel
    region.lock.lock()
    if node.isFresh, region.deliverer.isOpen(to: .current) {
      swap(&value, &delivered)
      isMemoLatest = false
      node.didStart(at: evaluation.state(of: node), edition: evaluation.edition(of: self))
    }
    region.lock.unlock()
    // Released after unlocking, because a deinit may run user code.
    withExtendedLifetime(value) {}
  }

  override func becameUnobserved() { ownNode.deactivateIfUnobserved() }
}
