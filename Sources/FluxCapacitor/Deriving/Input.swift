/// A derived constant's observation of one source, whatever the type of its values.
///
/// It is used while the derived constant is observed; the next time, there is a new one. So what is
/// still delivered to one that is no longer in use does no harm. Until it is removed, it keeps the
/// derived channel alive.
@usableFromInline
class AnyInput: Dust, @unchecked Sendable {
  @usableFromInline final let source: AnySource
  @usableFromInline final let target: AnyChannel
  @usableFromInline final let derivation: Derivation

  /// The arrivals that aren't taken yet, in order: those that have come, and those that are still to
  /// come. Guarded by the target's lock.
  @exclusivity(unchecked) @usableFromInline final var arrivals = FIFO<Arrival>()

  /// How many of them have come.
  @exclusivity(unchecked) @usableFromInline final var arrived: Int32 = 0

  /// One change that the source brings: the pending change that it is for, and the source's own
  /// number for it; see `Step`.
  @usableFromInline typealias Arrival = (number: UInt64, origin: UInt64)

  /// The state of the source's variables when this joined it, if a change was on its way there.
  /// Guarded by the source's lock.
  @exclusivity(unchecked) final var joinedState: CombinedVersion?

  /// The edition that the value that this started with has at the source; an evaluation may have
  /// given it another. Guarded by the target's lock.
  @exclusivity(unchecked) private final var joinedEdition: CombinedVersion?

  /// The revision that the target uses. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline final var revision = Revision()

  /// Whether the source's deliverer has claimed a change of the target: it has made itself the target's
  /// deliverer too. Belongs to that thread.
  @exclusivity(unchecked) @usableFromInline final var hasClaimed = false

  /// Whether something is taken, and not used yet. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline final var hasTaken = false

  /// Takes what has arrived for a pending change. The target's lock must be held. Created where the
  /// type is known; see `PendingDelivery`.
  @usableFromInline final let take: @Sendable (AnyInput, UInt64) -> Void

  /// Uses what was taken, with no lock held, because it releases what was used before.
  @usableFromInline final let advance: @Sendable (AnyInput) -> Void

  @usableFromInline
  init(
    of source: AnySource,
    to target: AnyChannel,
    _ derivation: Derivation,
    take: @escaping @Sendable (AnyInput, UInt64) -> Void,
    advance: @escaping @Sendable (AnyInput) -> Void
  ) {
    self.source = source
    self.target = target
    self.derivation = derivation
    self.take = take
    self.advance = advance
    super.init(flags: Dust.input) { input in
      let channel = input.lock.withLock {
        defer { input.channel = nil }
        return input.channel
      }
      withExtendedLifetime(channel) {}
    }
  }

  /// Whether this is the input that is in use. The target's lock must be held.
  @inlinable
  final var isLinked: Bool { source.input?.toOpaque() == Unmanaged.passUnretained(self).toOpaque() }

  final func noteJoined(_ edition: CombinedVersion) {
    target.lock.withLock { joinedEdition = edition }
  }

  /// Whether an edition is that of the value that this started with. No later edition is.
  @usableFromInline
  final func hasJoined(with edition: CombinedVersion) -> Bool {
    target.lock.withLock { joinedEdition == edition }
  }

  override final var downstream: AnyChannel? { target }

  /// Starts with the value from an evaluation or, without one, only with the state.
  @usableFromInline
  final func start(from evaluation: Evaluation?, at state: CombinedVersion) {
    revision = evaluation?.revision(of: source.channel) ?? Revision(state: state)
    if let evaluation { startWithValue(from: evaluation) }
  }

  func startWithValue(from evaluation: Evaluation) {}

  // MARK: What arrives; the target's lock must be held

  /// The number of the last pending change for which the source brings something, or zero.
  final var lastNumber: UInt64 {
    arrivals.isEmpty ? 0 : arrivals[arrivals.count - 1].number
  }

  /// Notes that pending changes have a new number.
  final func renumber(_ numbers: ClosedRange<UInt64>, as number: UInt64) {
    for index in 0..<arrivals.count where numbers.contains(arrivals[index].number) {
      arrivals[index].number = number
    }
  }

  /// Whether something for a pending change has arrived and isn't used yet.
  @inlinable
  final func hasArrived(for number: UInt64) -> Bool {
    arrived > 0 && arrivals[0].number <= number
  }
}

/// A derived constant's observation of one source.
@usableFromInline
final class Input<Value: Sendable>: AnyInput, @unchecked Sendable {
  /// What has arrived and is not taken yet. Guarded by the target's lock.
  @exclusivity(unchecked) @usableFromInline var changes = FIFO<Change>()

  /// What is taken and not used yet. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline var taken = FIFO<Change>()

  /// The value that the target uses. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline var current: Value?

  @usableFromInline typealias Change = (value: Value, revision: Revision)

  @inlinable
  init(of source: AnySource, to target: AnyChannel, _ derivation: Derivation) {
    super.init(
      of: source,
      to: target,
      derivation,
      take: { unsafeDowncast($0, to: Input.self).takeChanges(for: $1) },
      advance: { unsafeDowncast($0, to: Input.self).useTaken() }
    )
    // A derived channel delivers to its inputs itself.
    guard !source.channel.isDerived else { return }
    let backlog = unsafeDowncast(source.channel, to: Channel<Value>.self).existingBacklog()
    // Once only: a deliverer uses it without the lock, as soon as there is an input.
    guard backlog.downstream == nil else { return }
    backlog.downstream = .init(
      invalidate: { $0.invalidateDownstream($1, isMoved: $2) },
      deliver: { channel, value, version, nodes, thread in
        let revision = Revision(state: CombinedVersion(version))
        channel.deliverToAll(value, version, revision, nodes, on: thread)
      }
    )
  }

  /// Takes in a change of the source. Only the source's deliverer calls this.
  ///
  /// If that makes a change of the target complete, with nothing in the way, and the target's place
  /// would be the first in the thread's round, this claims the change: the source's deliverer makes
  /// itself the target's deliverer too, before it calls the source's own observers, and delivers the
  /// change behind them. So no other thread can get ahead of it, nothing that those observers do can
  /// deactivate the target, and the change comes before all that they write, as it would in the round.
  ///
  /// - Returns: Whether the change is claimed, so that the caller must deliver it.
  @inlinable
  func receive(
    _ value: Value,
    _ version: UInt64,
    _ revision: Revision,
    on thread: CurrentThread
  ) -> Bool {
    target.lock.lock()
    guard isLinked else {
      target.lock.unlock()
      return false
    }
    // No thread is delivering or offers to hand over, and nothing derives from the target.
    let isFree = target.deliverer.bits == 0 && !target.hasInputs && thread.pointee.round.isEmpty
    if derivation.isRelay {
      if isFree, derivation.pendingChanges.isEmpty {
        self.revision = revision
        return claim(on: thread)
      }
      // It wasn't noted beforehand.
      arrivals.append((number: version, origin: version))
    }
    if arrived < arrivals.count {
      changes.append((value, revision))
      arrived += 1
      let isFirstComplete = derivation.arrive(at: arrivals[arrived - 1].number)
      if isFree, isFirstComplete {
        derivation.takeFirst()
        return claim(on: thread)
      }
      if isFirstComplete || target.deliverer.isOffered, target.deliverer.thread == 0 {
        target.deliverer = Deliverer()
        thread.append(derivation.delivery(to: target), isOwn: false)
      }
    }
    target.lock.unlock()
    return false
  }

  /// Makes the source's deliverer the target's deliverer too. Unlocks the target's lock.
  @inlinable
  func claim(on thread: CurrentThread) -> Bool {
    target.deliverer = Deliverer(thread)
    target.lock.unlock()
    hasClaimed = true
    return true
  }

  /// There are several if pending changes were merged.
  @inlinable
  func takeChanges(for number: UInt64) {
    hasTaken = true
    let before = arrived
    while hasArrived(for: number) {
      _ = arrivals.popFirst()
      arrived -= 1
    }
    if arrived == 0 { return swap(&changes, &taken) }
    for _ in arrived..<before { if let change = changes.popFirst() { taken.append(change) } }
  }

  @inlinable
  func useTaken() {
    hasTaken = false
    while let change = taken.popFirst() {
      revision = change.revision
      current = change.value
    }
  }

  /// The value that the target uses.
  ///
  /// An only source's value is used once, and given up: with a second reference to it, a formula
  /// that changes it in place would copy all of its elements.
  @inlinable
  func use() -> Value? {
    source.weight == .one ? current.take() : current
  }

  override func startWithValue(from evaluation: Evaluation) {
    current = evaluation.value(of: source.channel)
  }
}
