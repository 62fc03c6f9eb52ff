/// A value that is computed from those of its sources: what `map`, `combine` and `removeDuplicates`
/// make.
///
/// Nobody observes it: it computes when it is read, if a source has changed since. Somebody does: it
/// observes its sources, and computes each change once, before it tells it; see `Derivation`. What was
/// computed last is remembered with its revision, for readers and for the deliverer alike.
@usableFromInline
final class DerivedChannel<Element: Sendable>: ComputedChannel<Element>, AnyDerivedChannel,
  @unchecked Sendable
{
  @usableFromInline let formula: @Sendable (Reading) -> Element

  /// Says which changes of the value are none.
  @usableFromInline let isSame: (@Sendable (Element, Element) -> Bool)?

  @usableFromInline let ownDerivation: Derivation

  /// What was computed last; guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var memo: Outcome?

  /// What was told last, or would have been, and the edition that its sources made; belongs to the
  /// deliverer. The value is not there before the first change, if nobody has asked for it.
  @exclusivity(unchecked) @usableFromInline
  var delivered: (value: Element?, revision: Revision, sources: CombinedVersion) = (
    nil, Revision(), .zero
  )

  /// What was told last; guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var known = Revision()

  /// The inputs of those who have joined downstream while a change was on its way, to be told by what
  /// edition the value is known here that they began with. Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var joining: [AnyInput] = []

  /// Those who have joined while a change was on its way and were told nothing since: they may know
  /// another value than the others. Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var joiners: [Joiner] = []

  /// What it notes is guarded by the channel's lock.
  @usableFromInline
  final class Joiner {
    let observation: Observation<Element>

    /// The channel's version and its variables' state at the time.
    let since: UInt64
    let state: CombinedVersion

    /// What it was told first, once that is known.
    @exclusivity(unchecked) var first: Outcome?

    /// Whether that is going to be known.
    @exclusivity(unchecked) var isFirstAwaited = false

    /// Whether a change came to nothing for others meanwhile.
    @exclusivity(unchecked) var isOwed = false

    init(_ observation: Observation<Element>, since: UInt64, at state: CombinedVersion) {
      self.observation = observation
      self.since = since
      self.state = state
    }
  }

  /// A value that was computed. The last one is the edition that its sources make, when its own is an
  /// earlier one of the same value.
  @usableFromInline
  typealias Outcome = (value: Element, revision: Revision, sources: CombinedVersion)

  @inlinable
  init(
    from sources: [AnySource],
    isMap: Bool,
    isSame: (@Sendable (Element, Element) -> Bool)? = nil,
    formula: @escaping @Sendable (Reading) -> Element
  ) {
    self.formula = formula
    self.isSame = isSame
    // The closures are those of this very channel.
    ownDerivation = Derivation(
      from: sources,
      isMap: isMap,
      keepsValues: isSame != nil,
      deliver: { channel, _, thread in
        unsafeDowncast(channel, to: DerivedChannel.self).deliverNext(on: thread)
      },
      relay: { input, value, version, revision, thread in
        Unmanaged.passUnretained(input.target)._withUnsafeGuaranteedRef {
          unsafeDowncast($0, to: DerivedChannel.self).relay(value, version, revision, on: thread)
        }
      }
    )
    super.init { unsafeDowncast($0, to: DerivedChannel.self).currentValue() }
    becomeOwner()
  }

  @usableFromInline
  func becomeOwner() { ownDerivation.owner = self }

  override var upstream: AnyObject? { ownDerivation }

  override var description: String { "A derived Constant<\(Element.self)>" }

  // MARK: Reading

  /// The value at the present state of the variables, all of them at one time.
  @inlinable
  func currentValue() -> Element {
    guard let root = ownDerivation.onlyRoot else { return currentValueOfSeveral() }
    // In the midst of its mutation, reading the variable waits, or traps.
    if !root.channel.lock.isHeldForUser, let memo = remembered() {
      root.channel.lock.schedulePoint(.read)
      let state = root.weight * CombinedVersion(root.channel.version)
      if memo.revision.state == state { return memo.value }
    }
    return ownDerivation.isDirect ? computeDirectly() : evaluate()
  }

  @usableFromInline
  func currentValueOfSeveral() -> Element {
    ownDerivation.lockRoots()
    let state = ownDerivation.state
    let memo = remembered()
    ownDerivation.unlockRoots()
    if let memo, memo.revision.state == state { return memo.value }
    return evaluate()
  }

  @inlinable
  func remembered() -> Outcome? {
    lock.lock()
    defer { lock.unlock() }
    return memo
  }

  @inlinable
  func rememberedAtRest() -> Outcome? {
    lock.lock()
    defer { lock.unlock() }
    return ownDerivation.isActive ? nil : memo
  }

  @inlinable
  func remember(_ outcome: Outcome) {
    var outcome: Outcome? = outcome
    lock.lock()
    swap(&outcome, &memo)
    lock.unlock()
    // The deinit of the value before may run code of the user's: it goes when the lock is open.
    withExtendedLifetime(outcome) {}
  }

  /// Computes the value from that of the variable that is the only source.
  @inlinable
  func computeDirectly() -> Element {
    var version: UInt64 = 0
    let value = withUnsafeMutablePointer(to: &version) { formula(.variable($0)) }
    let state = CombinedVersion(version)
    return note(value, Revision(state: state, edition: state)).value
  }

  @usableFromInline
  func evaluate() -> Element {
    ownDerivation.lockRoots()
    let evaluation = Evaluation(of: ownDerivation)
    ownDerivation.unlockRoots()
    evaluation.find(self)
    return evaluation.value(of: self)
  }

  func evaluate(in evaluation: Evaluation) {
    let revision = evaluation.revision(of: ownDerivation)
    var outcome: Outcome
    if let memo = remembered(), memo.sources == revision.edition {
      let kept = Revision(state: revision.state, edition: memo.revision.edition)
      outcome = (value: memo.value, revision: kept, sources: memo.sources)
      remember(outcome)
    } else {
      outcome = note(formula(.evaluation(evaluation)), revision)
    }
    evaluation.note(outcome.value, edition: outcome.revision.edition, of: self)
  }

  /// Remembers what a reader has computed, or the value before if that is the same.
  @inlinable
  func note(_ value: Element, _ revision: Revision) -> Outcome {
    var outcome = (value: value, revision: revision, sources: revision.edition)
    // A reader ahead of what is told does not know which value will be the one before.
    if let isSame, let memo = rememberedAtRest(), isSame(memo.value, value) {
      let kept = Revision(state: revision.state, edition: memo.revision.edition)
      outcome = (value: memo.value, revision: kept, sources: revision.edition)
    }
    remember(outcome)
    return outcome
  }

  // MARK: Observing

  override func add(
    _ observation: Observation<Element>,
    on queue: ExecuteQueue,
    ignoreFirst: Bool
  ) {
    join(observation, on: queue, ignoreFirst: ignoreFirst)
  }

  override func value(rejoining observer: Dust) -> Element { value(joinedBy: observer) }

  override func becameUnobserved() { deactivateIfUnobserved() }

  // MARK: Telling

  func note(_ input: AnyInput) {
    guard ownDerivation.mayKeepValues else { return }
    let state = ownDerivation.state
    let edition: CombinedVersion? = lock.withLock {
      if known.state == state { return known.edition }
      input.joinedState = state
      joining.append(input)
      return nil
    }
    if let edition { input.noteJoined(edition) }
  }

  func takeAllJoiners() -> Any? {
    guard !joiners.isEmpty || !joining.isEmpty else { return nil }
    defer { (joiners, joining) = ([], []) }
    return (joiners, joining)
  }

  func start(from evaluation: Evaluation?, at state: CombinedVersion, on thread: CurrentThread) {
    let state = evaluation?.state(of: ownDerivation) ?? state
    // What maps alone derive needs no value to begin with.
    let evaluation = ownDerivation.isChain ? nil : evaluation
    var revision = Revision(state: state, edition: state)
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
    if ownDerivation.mayKeepValues { noteJoined(lock.withLock { takeJoining() }) }
    for source in ownDerivation.sources {
      if let input = source.input { input.start(input, evaluation, state) }
    }
    finishDelivering(on: thread)
  }
}
