/// A value that is computed from those of its sources: what `map`, `combine` and `removeDuplicates`
/// make.
///
/// Nobody observes it: it computes when it is read, if a source has changed since. Somebody does: it
/// observes its sources, and computes each change once, before it tells it; see `Derivation`. What was
/// computed last is remembered with its revision, for readers and for the deliverer alike.
@usableFromInline
final class Derived<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  @usableFromInline let formula: @Sendable (Reading) -> Element

  /// Says which changes of the value are none.
  @usableFromInline let isSame: (@Sendable (Element, Element) -> Bool)?

  @usableFromInline let ownDerivation: Derivation

  /// What was computed last; guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var memo: Outcome?

  /// What was told last, or would have been; belongs to the deliverer.
  @exclusivity(unchecked) @usableFromInline var told = Told()

  /// Other editions of the value that was told last, which readers ahead of that have given to it, not
  /// knowing that it is the same as the one before. Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var aliases: [Fingerprint] = []

  /// Its edition; guarded by the lock.
  @exclusivity(unchecked) private var aliasedEdition = Fingerprint.zero

  /// Whether there are any; belongs to the deliverer.
  @exclusivity(unchecked) @usableFromInline var hasAliases = false

  /// Those who have joined while a change was on its way and were told nothing since, in order: they
  /// may know another value than the others. Guarded by the lock.
  @exclusivity(unchecked) @usableFromInline var joiners = FIFO<Joiner>()

  @usableFromInline
  final class Joiner {
    let observer: ObjectIdentifier

    /// The channel's version at the time.
    let since: UInt64

    /// What it was told first, once that is known.
    @exclusivity(unchecked) var first: Outcome?

    /// Whether it was found to know the same as the others.
    @exclusivity(unchecked) var isOver = false

    init(_ observer: Dust, since: UInt64) {
      self.observer = ObjectIdentifier(observer)
      self.since = since
    }
  }

  @usableFromInline
  struct Outcome {
    @usableFromInline let value: Element
    @usableFromInline let revision: Revision

    /// The edition that its sources make, when its own is an earlier one of the same value.
    @usableFromInline let sources: Fingerprint

    @inlinable
    init(value: Element, revision: Revision, sources: Fingerprint) {
      self.value = value
      self.revision = revision
      self.sources = sources
    }
  }

  @usableFromInline
  struct Told {
    /// Not there before the first change, if nobody has asked for it.
    @usableFromInline var value: Element?
    @usableFromInline var revision = Revision()

    /// The edition that its sources made.
    @usableFromInline var sources = Fingerprint.zero

    @inlinable
    init() {}
  }

  @inlinable
  init(
    from sources: [AnySource],
    isMap: Bool,
    isSame: (@Sendable (Element, Element) -> Bool)? = nil,
    formula: @escaping @Sendable (Reading) -> Element
  ) {
    self.formula = formula
    self.isSame = isSame
    ownDerivation = Derivation(from: sources, isMap: isMap, keepsValues: isSame != nil) {
      channel,
      _,
      thread in
      // The closure is that of this very channel.
      unsafeDowncast(channel, to: Derived.self).deliverNext(on: thread)
    }
    super.init(isDerived: true)
  }

  override var derivation: Derivation? { ownDerivation }

  override var name: String { "A derived Constant<\(Element.self)>" }

  // MARK: Reading

  /// The value at the present state of the variables, all of them at one time.
  @inlinable
  func currentValue() -> Element {
    guard let root = ownDerivation.onlyRoot else { return currentValueOfSeveral() }
    root.channel.acquire()
    let state = root.weight * Fingerprint(root.channel.version)
    let memo = remembered()
    root.channel.lock.unlock()
    if let memo, memo.revision.state == state { return memo.value }
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
    let state = Fingerprint(version)
    return note(value, Revision(state: state, edition: state)).value
  }

  @usableFromInline
  func evaluate() -> Element {
    ownDerivation.lockRootsBetweenTurns(on: .current)
    let evaluation = Evaluation(of: ownDerivation)
    ownDerivation.unlockRoots()
    evaluation.find(self)
    return evaluation.value(of: self)
  }

  override func evaluate(in evaluation: Evaluation) {
    let revision = evaluation.revision(of: ownDerivation)
    var outcome: Outcome
    if let memo = remembered(), memo.sources == revision.edition {
      let kept = Revision(state: revision.state, edition: memo.revision.edition)
      outcome = Outcome(value: memo.value, revision: kept, sources: memo.sources)
      remember(outcome)
    } else {
      outcome = note(formula(.evaluation(evaluation)), revision)
    }
    evaluation.note(outcome.value, edition: outcome.revision.edition, of: self)
  }

  /// Remembers what a reader has computed, or the value before if that is the same.
  @inlinable
  func note(_ value: Element, _ revision: Revision) -> Outcome {
    var outcome = Outcome(value: value, revision: revision, sources: revision.edition)
    // A reader ahead of what is told does not know which value will be the one before.
    if let isSame, let memo = rememberedAtRest(), isSame(memo.value, value) {
      let kept = Revision(state: revision.state, edition: memo.revision.edition)
      outcome = Outcome(value: memo.value, revision: kept, sources: revision.edition)
    }
    remember(outcome)
    return outcome
  }

  // MARK: Telling

  /// Computes and tells the first change on its way here, if all of it has arrived and nobody is at it.
  @inlinable
  func deliverNext(on thread: CurrentThread) {
    lock.lock()
    guard deliverer.thread == 0, ownDerivation.isReady else { return lock.unlock() }
    let number = ownDerivation.entries[0].number
    let version = ownDerivation.entries[0].version
    _ = ownDerivation.entries.popFirst()
    let isLast = ownDerivation.entries.isEmpty
    deliverer = Deliverer(thread)
    let memo = self.memo
    lock.unlock()

    let (new, isChangedBefore) = ownDerivation.advance(to: number)
    let isChanged = update(to: new, isChanged: isChangedBefore, memo, isLast: isLast)
    tell(version, isChanged: isChanged, on: thread)
    finishTelling(on: thread)
  }

  /// Computes what is to be told next; answers whether it differs from what was told last.
  @inlinable
  func update(to new: Revision, isChanged: Bool, _ memo: Outcome?, isLast: Bool) -> Bool {
    let toldState = told.revision.state
    var isChanged = isChanged
    told.revision.state = new.state
    told.sources = new.edition
    if isChanged {
      // A reader may have taken another value for the one before, and kept that.
      let isFresh = memo.map { $0.sources == new.edition && $0.revision.edition == new.edition }
      let value = if isFresh == true, let memo { memo.value } else { formula(.told) }
      if let isSame, let before = told.value, isSame(before, value) {
        isChanged = false
      } else {
        told.value = value
        told.revision.edition = new.edition
      }
    }
    if isChanged || memo?.revision.state == new.state { noteAlias(memo, isChanged: isChanged) }
    // A reader may have been ahead of what is told here; then what it has found is the later one.
    if let value = told.value, isLast || memo == nil || memo?.revision.state == toldState {
      remember(Outcome(value: value, revision: told.revision, sources: new.edition))
    }
    return isChanged
  }

  /// Notes the edition that a reader ahead has given to what is told now.
  @inlinable
  func noteAlias(_ memo: Outcome?, isChanged: Bool) {
    let edition = memo?.revision.state == told.revision.state ? memo?.revision.edition : nil
    guard edition.map({ $0 != told.revision.edition }) ?? false || hasAliases else { return }
    replaceAliases(by: edition, isChanged: isChanged)
  }

  @usableFromInline
  func replaceAliases(by edition: Fingerprint?, isChanged: Bool) {
    lock.withLock {
      if isChanged { aliases = [] }
      aliasedEdition = told.revision.edition
      if let edition, edition != told.revision.edition { aliases.append(edition) }
      hasAliases = !aliases.isEmpty
    }
  }

  override func isSame(_ edition: Fingerprint, _ other: Fingerprint) -> Bool {
    lock.withLock { aliases.contains(edition) && aliasedEdition == other }
  }

  /// Tells the change or, to those who derive from this alone, that there is none.
  @inlinable
  func tell(_ version: UInt64, isChanged: Bool, on thread: CurrentThread) {
    lock.lock()
    let (joiners, over) = joiners.isEmpty ? ([], []) : takeJoiners(before: version)
    let first = isChanged || !joiners.isEmpty ? self.first : firstInput
    let last = self.first?._withUnsafeGuaranteedRef { $0.previous }
    let memo = told.value == nil ? self.memo : nil
    lock.unlock()
    // The values that they know go when the lock is open again.
    withExtendedLifetime(over) {}
    guard let first else { return }
    let value = told.value ?? valueToTell(memo)
    told.value = value
    let revision = told.revision
    guard
      let observer = tellInputs(value, version, revision, from: first, through: last, on: thread)
    else { return }
    if isChanged {
      tellObservers(value, version, from: observer, through: last, on: thread)
    } else if !joiners.isEmpty {
      tell(value, to: joiners, from: observer, through: last, on: thread)
    }
  }

  /// The value that is told last, which was not asked for before.
  @inlinable
  func valueToTell(_ memo: Outcome?) -> Element {
    if let memo, memo.revision.edition == told.revision.edition { return memo.value }
    return formula(.told)
  }

  /// Those whom a change is told to, and who perhaps know another value than the others, and those who
  /// do not any more; the lock is held.
  @usableFromInline
  func takeJoiners(before version: UInt64) -> (due: [Joiner], over: [Joiner]) {
    var (due, over): ([Joiner], [Joiner]) = ([], [])
    while !joiners.isEmpty {
      let joiner = joiners[0]
      // What was told now may be what somebody was told first, who came while it was on its way.
      let isOver = joiner.isOver || joiner.first?.revision.state == told.revision.state
      guard isOver || joiner.since < version else { break }
      if isOver { over.append(joiner) } else { due.append(joiner) }
      _ = joiners.popFirst()
    }
    return (due, over)
  }

  /// Tells what has not changed for others to those who know another value.
  @usableFromInline
  func tell(
    _ value: Element,
    to joiners: [Joiner],
    from first: Unmanaged<Dust>,
    through last: Unmanaged<Dust>?,
    on thread: CurrentThread
  ) {
    let observers = Set(joiners.lazy.filter { !self.knows(value, $0) }.map(\.observer))
    var node = first
    while true {
      let dust = node.takeUnretainedValue()
      if observers.contains(ObjectIdentifier(dust)) {
        // Behind the inputs, only an `Observation` of this element subscribes to a channel of it.
        unsafeDowncast(dust, to: Observation<Element>.self).receive(value, on: thread)
      }
      guard node.toOpaque() != last?.toOpaque(), let next = dust.next else { return }
      node = next
    }
  }

  private func knows(_ value: Element, _ joiner: Joiner) -> Bool {
    guard let first = joiner.first else { return false }
    let (edition, told) = (first.revision.edition, told.revision.edition)
    return isSame?(first.value, value) ?? (edition == told || isSame(edition, told))
  }

  @inlinable
  func finishTelling(on thread: CurrentThread) {
    lock.lock()
    let hasCleaned = deliverer.hasCleaned
    deliverer = Deliverer()
    if ownDerivation.isReady { thread.append(ownDerivation.delivery(of: self), isOwn: false) }
    if hasCleaned || first == nil { return detachCleanedAndDeactivate() }
    lock.unlock()
  }

  /// Takes the lock over.
  @usableFromInline
  func detachCleanedAndDeactivate() {
    var detached = Detached()
    detachCleaned(into: &detached)
    let isUnobserved = first == nil
    lock.unlock()
    detached.release()
    if isUnobserved { deactivateIfUnobserved() }
  }

  override func start(from evaluation: Evaluation?, at state: Fingerprint, on thread: CurrentThread)
  {
    var revision = Revision(state: state, edition: state)
    if let evaluation {
      for source in ownDerivation.sources { evaluation.find(source.channel) }
      revision = evaluation.revision(of: ownDerivation)
    }
    told.sources = revision.edition
    told.value = nil
    if let evaluation, isSame != nil {
      evaluation.find(self)
      told.value = evaluation.value(of: self)
      revision = evaluation.revision(of: self)
    }
    told.revision = revision
    for source in ownDerivation.sources {
      if let input = source.input { input.start(input, evaluation, state) }
    }
    finishTelling(on: thread)
  }
}
