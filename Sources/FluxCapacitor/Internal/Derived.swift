/// A value that is computed from those of its sources: what `map`, `combine` and `removeDuplicates`
/// make.
///
/// Nobody observes it: it computes when it is read, if a source has changed since. Somebody does: it
/// observes its sources, and computes each change once, before it tells it; see `Derivation`. What was
/// computed last is remembered with its revision, for readers and for the deliverer alike.
@usableFromInline
final class Derived<Element: Sendable>: Channel<Element>, @unchecked Sendable {
  private let formula: @Sendable (Evaluation?) -> Element

  /// Says which changes of the value are none.
  private let isSame: (@Sendable (Element, Element) -> Bool)?

  private let ownDerivation: Derivation

  /// What was computed last; guarded by the lock.
  @exclusivity(unchecked) private var memo: Outcome?

  /// What was told last, or would have been; belongs to the deliverer.
  @exclusivity(unchecked) private var told = Told()

  private struct Outcome {
    let value: Element
    var revision: Revision

    /// The edition that its sources make, when its own is an earlier one of the same value.
    var sources: Fingerprint
  }

  private struct Told {
    /// Not there before the first change, if nobody has asked for it.
    var value: Element?
    var revision = Revision()

    /// The edition that its sources made.
    var sources = Fingerprint.zero
  }

  @usableFromInline
  init(
    from sources: [AnySource],
    isMap: Bool,
    isSame: (@Sendable (Element, Element) -> Bool)? = nil,
    formula: @escaping @Sendable (Evaluation?) -> Element
  ) {
    self.formula = formula
    self.isSame = isSame
    ownDerivation = Derivation(from: sources, isMap: isMap) { channel, _, thread in
      // The closure is that of this very channel.
      unsafeDowncast(channel, to: Derived.self).deliverNext(on: thread)
    }
    super.init(isDerived: true)
  }

  override var derivation: Derivation? { ownDerivation }

  override var name: String { "A derived Constant<\(Element.self)>" }

  // MARK: Reading

  /// The value at the present state of the variables, all of them at one time.
  @usableFromInline
  func read() -> Element {
    ownDerivation.lockRoots()
    if let value = remembered(at: ownDerivation.state) {
      ownDerivation.unlockRoots()
      return value
    }
    let evaluation = Evaluation(of: ownDerivation)
    ownDerivation.unlockRoots()
    evaluation.find(self)
    return evaluation.value(of: self)
  }

  private func remembered(at state: Fingerprint) -> Element? {
    lock.withLock { memo?.revision.state == state ? memo?.value : nil }
  }

  override func evaluate(in evaluation: Evaluation) {
    var revision = evaluation.revision(of: ownDerivation)
    let sources = revision.edition
    let memo = lock.withLock { self.memo }
    let value: Element
    if let memo, memo.sources == sources {
      value = memo.value
      revision.edition = memo.revision.edition
    } else {
      let computed = formula(evaluation)
      if let memo, let isSame, isSame(memo.value, computed) {
        value = memo.value
        revision.edition = memo.revision.edition
      } else {
        value = computed
      }
    }
    remember(Outcome(value: value, revision: revision, sources: sources))
    evaluation.note(value, edition: revision.edition, of: self)
  }

  private func remember(_ outcome: Outcome) {
    var outcome: Outcome? = outcome
    lock.withLock { swap(&outcome, &memo) }
    // The deinit of the value before may run code of the user's: it goes here, outside the lock.
  }

  // MARK: Telling

  /// Computes and tells the first change on its way here, if all of it has arrived, and nobody is at it.
  private func deliverNext(on thread: CurrentThread) {
    lock.lock()
    guard deliverer.thread == 0, ownDerivation.isReady else { return lock.unlock() }
    let number = version &+ 1 &- UInt64(ownDerivation.entries.count)
    _ = ownDerivation.entries.popFirst()
    let isLast = ownDerivation.entries.isEmpty
    deliverer = Deliverer(thread)
    let memo = self.memo
    lock.unlock()

    var revision = Revision()
    for source in ownDerivation.sources {
      guard let input = source.input else { continue }
      input.advance(input, number)
      revision.state = revision.state + source.weight * input.revision.state
      revision.edition = revision.edition + source.weight * input.revision.edition
    }
    let isChanged = update(to: revision, remembering: memo, isLast: isLast)
    tell(number, isChanged: isChanged, on: thread)
    finishTelling(on: thread)
  }

  /// Computes what is to be told next; answers whether it differs from what was told last.
  private func update(to new: Revision, remembering memo: Outcome?, isLast: Bool) -> Bool {
    let toldState = told.revision.state
    let isComputed = told.sources != new.edition
    var isChanged = isComputed
    told.revision.state = new.state
    told.sources = new.edition
    if isComputed {
      let value = memo?.sources == new.edition ? memo?.value ?? formula(nil) : formula(nil)
      if let isSame, let before = told.value, isSame(before, value) {
        isChanged = false
      } else {
        told.value = value
        told.revision.edition = new.edition
      }
    }
    // A reader may have been ahead of what is told here; then what it has found is the later one.
    if let value = told.value, isLast || memo == nil || memo?.revision.state == toldState {
      remember(Outcome(value: value, revision: told.revision, sources: new.edition))
    }
    return isChanged
  }

  /// Tells the change or, to those who derive from this alone, that there is none.
  private func tell(_ number: UInt64, isChanged: Bool, on thread: CurrentThread) {
    lock.lock()
    let first = isChanged ? self.first : firstInput
    let last = self.first?._withUnsafeGuaranteedRef { $0.previous }
    lock.unlock()
    guard let first else { return }
    let value = told.value ?? formula(nil)
    told.value = value
    let revision = told.revision
    if let first = tellInputs(value, number, revision, from: first, through: last, on: thread),
      isChanged
    {
      tellObservers(value, number, from: first, through: last, on: thread)
    }
  }

  private func finishTelling(on thread: CurrentThread) {
    var detached = Detached()
    lock.lock()
    if deliverer.hasCleaned { detachCleaned(into: &detached) }
    deliverer = Deliverer()
    if ownDerivation.isReady { thread.pointee.round.append(ownDerivation.delivery(of: self)) }
    let isUnobserved = first == nil
    lock.unlock()
    detached.release()
    if isUnobserved { deactivateIfUnobserved() }
  }

  // MARK: Observing

  /// Subscribes an observation, which is told the value first if it asks for it.
  @usableFromInline
  func subscribe(_ observation: Observation<Element>, on queue: ExecuteQueue, ignoreFirst: Bool) {
    let thread = CurrentThread.current
    if !ignoreFirst { observation.prepareForLateFirst() }
    ownDerivation.lockRoots()
    let activated = activate(on: thread)
    lock.lock()
    link(observation)
    lock.unlock()
    let isNeeded = !ignoreFirst || activated.contains { $0.derivation?.isChain == false }
    let evaluation = isNeeded ? Evaluation(of: ownDerivation) : nil
    let state = ownDerivation.state
    ownDerivation.unlockRoots()

    for channel in activated { channel.start(from: evaluation, at: state, on: thread) }
    if !ignoreFirst, let evaluation {
      evaluation.find(self)
      observation.start(lateFirst: evaluation.value(of: self), on: queue, thread)
    }
    thread.settle()
  }

  override func start(from evaluation: Evaluation?, at state: Fingerprint, on thread: CurrentThread) {
    var revision = Revision(state: state, edition: state)
    if let evaluation {
      for source in ownDerivation.sources { evaluation.find(source.channel) }
      revision = evaluation.revision(of: ownDerivation)
      told.sources = revision.edition
      if isSame != nil {
        evaluation.find(self)
        told.value = evaluation.value(of: self)
        revision = evaluation.revision(of: self)
      }
    } else {
      told.sources = state
    }
    told.revision = revision
    for source in ownDerivation.sources {
      if let input = source.input { input.start(input, evaluation, state) }
    }
    finishTelling(on: thread)
  }
}
