import Synchronization

/// A value that is computed from those of its sources: the channel of what `map`, `combine` and
/// `removeDuplicates` return.
///
/// While nobody observes it, it computes when it is read, if a source has changed since. While it
/// is observed, it observes its sources, and computes each change once, before delivering it; see
/// `Derivation`. What was computed last is remembered with its revision, for readers and for the
/// deliverer alike.
@usableFromInline
final class DerivedChannel<Element: Sendable>: ComputedChannel<Element>, @unchecked Sendable {
  @usableFromInline let formula: @Sendable (Reading) -> Element

  /// Returns whether two values are equal, if this constant skips consecutive equal values.
  @usableFromInline let isSame: (@Sendable (Element, Element) -> Bool)?

  @usableFromInline let ownDerivation: Derivation

  /// What was computed last. Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var memo: Outcome?

  /// The state of what was computed last. Relaxed: it only tells a thread without the lock whether
  /// to look, and at worst something is computed again.
  @usableFromInline let memoState = Atomic<UInt64>(.max)

  /// What was delivered last, or would have been, and the edition that its sources made. Belongs to
  /// the deliverer. The value is `nil` at the start and after a change that a relay has claimed, until
  /// it is needed.
  @exclusivity(unchecked) @usableFromInline
  var delivered: (value: Element?, revision: Revision, sources: CombinedVersion) = (
    nil, Revision(), .zero
  )

  /// The revision that was delivered last, where equal values are kept. Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var known = Revision()

  /// Inputs that joined while a change was on its way, and need to know which edition the value
  /// that they started with has here. Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var joining: [AnyInput] = []

  /// Observations that joined while a change was on its way and were not called since: they may
  /// know another value than the other observers. Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var joiners: [Joiner] = []

  /// An observation that joined while a change was on its way. Guarded by the channel's lock; once
  /// it is removed from `joiners`, it belongs to the thread that removed it.
  @usableFromInline
  final class Joiner {
    let observation: Observation<Element>

    /// The channel's version when it joined.
    let since: UInt64

    /// The state of its variables when it joined, if that is the state of its first value.
    let state: CombinedVersion?

    /// What it was called with first, once that is known.
    @exclusivity(unchecked) var first: Outcome?

    /// Whether `first` is still to be noted.
    @exclusivity(unchecked) var isFirstAwaited = false

    /// Whether there was a change since it joined, with which it isn't called like the others.
    @exclusivity(unchecked) var isOwed = false

    init(_ observation: Observation<Element>, since: UInt64, at state: CombinedVersion?) {
      self.observation = observation
      self.since = since
      self.state = state
    }
  }

  /// A computed value, its revision, and the edition that its sources make, from which its own
  /// differs if an earlier, equal value was kept.
  @usableFromInline
  typealias Outcome = (value: Element, revision: Revision, sources: CombinedVersion)

  @inlinable
  init(
    from sources: [AnySource],
    isSame: (@Sendable (Element, Element) -> Bool)? = nil,
    formula: @escaping @Sendable (Reading) -> Element
  ) {
    self.formula = formula
    self.isSame = isSame
    // The closures are only called with the channel that owns this derivation, or an input of it.
    ownDerivation = Derivation(
      from: sources,
      keepsValues: isSame != nil,
      deliver: { channel, _, thread in
        unsafeDowncast(channel, to: DerivedChannel.self).deliverNext(on: thread)
      },
      deliverClaimed: { input, value, version, revision, thread in
        Unmanaged.passUnretained(input.target)._withUnsafeGuaranteedRef {
          unsafeDowncast($0, to: DerivedChannel.self)
            .deliverClaimed(value, version, revision, on: thread)
        }
      },
      evaluate: { channel, evaluation in
        unsafeDowncast(channel, to: DerivedChannel.self).evaluate(in: evaluation)
      },
      start: { channel, evaluation, state, thread in
        unsafeDowncast(channel, to: DerivedChannel.self)
          .start(from: evaluation, at: state, on: thread)
      }
    )
    super.init { unsafeDowncast($0, to: DerivedChannel.self).currentValue() }
  }

  override var upstream: AnyObject? { ownDerivation }

  override var description: String { "A derived Constant<\(Element.self)>" }

  // MARK: Reading

  /// The value at the current state of the variables, all at one time.
  @inlinable
  func currentValue() -> Element {
    guard let root = ownDerivation.onlyRoot else { return currentValueOfSeveral() }
    // During a mutation of the variable, computing waits for its end or, on its own thread, traps.
    if !root.channel.lock.isHeldForUser {
      root.channel.lock.schedulePoint(.read)
      let state = root.weight * CombinedVersion(root.channel.version)
      if let memo = remembered(at: state) { return memo.value }
    }
    return ownDerivation.isDirect ? computeDirectly() : evaluate()
  }

  @usableFromInline
  func currentValueOfSeveral() -> Element {
    ownDerivation.lockRoots()
    let state = ownDerivation.state
    ownDerivation.unlockRoots()
    return remembered(at: state)?.value ?? evaluate()
  }

  /// What is remembered, if it is of this state.
  @inlinable
  func remembered(at state: CombinedVersion) -> Outcome? {
    lock.schedulePoint(.read)
    guard memoState.load(ordering: .relaxed) == state.value else { return nil }
    return lock.withLock { memo.flatMap { $0.revision.state == state ? $0 : nil } }
  }

  /// Remembers an outcome, and leaves in its place what was remembered before, to be released after
  /// unlocking. The lock must be held.
  @inlinable
  func replaceMemo(with outcome: inout Outcome?) {
    memoState.store(outcome?.revision.state.value ?? .max, ordering: .relaxed)
    swap(&outcome, &memo)
  }

  @inlinable
  func remember(_ outcome: Outcome) {
    var outcome: Outcome? = outcome
    lock.lock()
    replaceMemo(with: &outcome)
    lock.unlock()
    // Released after unlocking, because a deinit may run user code.
    withExtendedLifetime(outcome) {}
  }

  /// Computes the value from the variable that is the only source.
  @inlinable
  func computeDirectly() -> Element {
    var version: UInt64 = 0
    let value = withUnsafeMutablePointer(to: &version) { formula(.variable($0)) }
    return note(value, Revision(state: CombinedVersion(version))).value
  }

  @usableFromInline
  func evaluate() -> Element {
    ownDerivation.lockRoots()
    let evaluation = Evaluation(of: ownDerivation)
    ownDerivation.unlockRoots()
    evaluation.find(self)
    return evaluation.value(of: self)
  }

  /// Adds the value to an evaluation that has those of the sources.
  @inlinable
  func evaluate(in evaluation: Evaluation) {
    let revision = evaluation.revision(of: ownDerivation)
    var outcome: Outcome
    if let memo = lock.withLock({ memo }), memo.sources == revision.edition {
      let kept = Revision(state: revision.state, edition: memo.revision.edition)
      outcome = (value: memo.value, revision: kept, sources: memo.sources)
      remember(outcome)
    } else {
      outcome = note(formula(.evaluation(evaluation)), revision)
    }
    evaluation.note(outcome.value, edition: outcome.revision.edition, of: self)
  }

  /// Remembers what a reader has computed, or the value before if that is equal.
  @inlinable
  func note(_ value: Element, _ revision: Revision) -> Outcome {
    var outcome = (value: value, revision: revision, sources: revision.edition)
    // Only while not observed: a reader ahead of a delivery can't know which value comes before.
    if let isSame, let memo = lock.withLock({ ownDerivation.isActive ? nil : memo }),
      isSame(memo.value, value)
    {
      let kept = Revision(state: revision.state, edition: memo.revision.edition)
      outcome = (value: memo.value, revision: kept, sources: revision.edition)
    }
    remember(outcome)
    return outcome
  }

  // MARK: Observing

  override func join(_ observation: Observation<Element>, on queue: ExecuteQueue, ignoreFirst: Bool)
  {
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
    let joiner = mayDiffer && ownDerivation.mayKeepValues ? addJoiner(observation, at: state) : nil
    joiner?.isFirstAwaited = !ignoreFirst
    let memo = activated.isEmpty && memo?.revision.state == state ? memo : nil
    lock.unlock()
    let isNeeded = !ignoreFirst || activated.contains { $0.derivation?.isChain == false }
    let evaluation = isNeeded ? Evaluation(of: ownDerivation) : nil
    ownDerivation.unlockRoots()
    if let memo { evaluation?.note(memo.value, edition: memo.revision.edition, of: self) }

    for channel in activated {
      channel.derivation?.start(channel, evaluation, state, thread)
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

  override func value(joinedBy observer: Dust) -> Element {
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

  override func didJoin(_ input: Dust) { noteLate(unsafeDowncast(input, to: AnyInput.self)) }

  override func takeJoiners() -> Any {
    defer { (joiners, joining) = ([], []) }
    return (joiners, joining)
  }

  override func becameUnobserved() { deactivateIfUnobserved() }
}
