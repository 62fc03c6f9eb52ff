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

  /// What the source will bring, in order. Guarded by the target's lock, like what it has brought.
  @exclusivity(unchecked) @usableFromInline final var awaited = FIFO<Awaited>()

  /// The number of the pending change for which it last brought something.
  @exclusivity(unchecked) @usableFromInline final var lastBrought: UInt64 = 0

  /// One arrival that is still to come: the pending change that it is for, and the source's own
  /// number for it; see `Step`.
  @usableFromInline typealias Awaited = (number: UInt64, origin: UInt64)

  /// The state of the source's variables when this joined it, if a change was on its way there.
  /// Guarded by the source's lock.
  @exclusivity(unchecked) final var joinedState: CombinedVersion?

  /// The edition that the value that this started with has at the source; an evaluation may have
  /// given it another. Guarded by the target's lock.
  @exclusivity(unchecked) private final var joinedEdition: CombinedVersion?

  /// The revision that the target uses. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline final var revision = Revision()

  /// Whether the source's deliverer has claimed a change for the target to relay: it has made
  /// itself the target's deliverer too. Belongs to that thread.
  @exclusivity(unchecked) @usableFromInline final var isRelaying = false

  /// Takes over what has arrived for a pending change. Created where the type is known; see
  /// `PendingDelivery`.
  @usableFromInline final let advance: @Sendable (AnyInput, UInt64) -> Void

  /// Takes over the value from an evaluation or, without one, only the state.
  final let start: @Sendable (AnyInput, Evaluation?, CombinedVersion) -> Void

  @usableFromInline
  init(
    of source: AnySource,
    to target: AnyChannel,
    _ derivation: Derivation,
    advance: @escaping @Sendable (AnyInput, UInt64) -> Void,
    start: @escaping @Sendable (AnyInput, Evaluation?, CombinedVersion) -> Void
  ) {
    self.source = source
    self.target = target
    self.derivation = derivation
    self.advance = advance
    self.start = start
    super.init(inputReleasedBy: { input in
      let channel = input.lock.withLock {
        defer { input.channel = nil }
        return input.channel
      }
      withExtendedLifetime(channel) {}
    })
  }

  /// Whether this is the input that is in use. The target's lock must be held.
  @inlinable
  final var isLinked: Bool { source.input === self }

  final func noteJoined(_ edition: CombinedVersion) {
    target.lock.withLock { joinedEdition = edition }
  }

  /// Whether an edition is that of the value that this started with. No later edition is.
  @usableFromInline
  final func hasJoined(with edition: CombinedVersion) -> Bool {
    target.lock.withLock { joinedEdition == edition }
  }

  override final var observerCount: Int { target.observerCount }

  // MARK: What is awaited; the target's lock must be held

  /// The number of the last pending change for which the source will bring, or has brought,
  /// something.
  final var lastAwaited: UInt64 {
    awaited.isEmpty ? lastBrought : awaited[awaited.count - 1].number
  }

  /// Notes that the source will bring something for a pending change, after all that is awaited.
  final func await(_ number: UInt64, as origin: UInt64) {
    awaited.append((number, origin))
  }

  /// The pending change for which the source will bring what it knows by a number of its own.
  final func number(of origin: UInt64) -> UInt64? {
    awaited.lastIndex { $0.origin == origin }.map { awaited[$0].number }
  }

  /// Whether the source will bring something for a pending change, or has and it isn't used yet.
  func holds(_ number: UInt64) -> Bool {
    (0..<awaited.count).contains { awaited[$0].number == number }
  }

  /// Notes that pending changes have a new number.
  func renumber(_ numbers: ClosedRange<UInt64>, as number: UInt64) {
    if numbers.contains(lastBrought) { lastBrought = number }
    for index in 0..<awaited.count where numbers.contains(awaited[index].number) {
      awaited[index].number = number
    }
  }
}

/// A derived constant's observation of one source.
@usableFromInline
final class Input<Value: Sendable>: AnyInput, @unchecked Sendable {
  /// What has arrived and is not used yet. Guarded by the target's lock.
  @exclusivity(unchecked) @usableFromInline var arrived = FIFO<Arrival>()

  /// The value that the target uses. Belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline var current: Value?

  @usableFromInline typealias Arrival = (number: UInt64, value: Value, revision: Revision)

  @inlinable
  init(of source: AnySource, to target: AnyChannel, _ derivation: Derivation) {
    super.init(
      of: source,
      to: target,
      derivation,
      advance: { unsafeDowncast($0, to: Input.self).advance(to: $1) },
      start: { unsafeDowncast($0, to: Input.self).start(from: $1, at: $2) }
    )
    // A derived channel delivers to its inputs itself.
    guard !source.channel.isDerived else { return }
    let backlog = unsafeDowncast(source.channel, to: Channel<Value>.self).existingBacklog()
    // Once only: a deliverer reads them without the lock, as soon as there is an input.
    guard backlog.receive == nil else { return }
    backlog.invalidate = { $0.invalidateDownstream($1, isMoved: $2, on: $3) }
    backlog.receive = { channel, value, version, nodes, thread in
      channel.deliverToInputs(value, version, Revision(ofVariable: version), nodes, on: thread)
    }
    backlog.relay = { channel, value, version, nodes, thread in
      channel.relayToInputs(value, version, Revision(ofVariable: version), nodes, on: thread)
    }
  }

  /// Takes in a change of the source. Only the source's deliverer calls this.
  ///
  /// If the target is a relay with nothing in the way, and its place would be the first in the thread's
  /// round, this claims the change: the source's deliverer makes itself the target's deliverer too,
  /// before it calls the source's own observers, and delivers the change behind them. So no other
  /// thread can get ahead of it, nothing that those observers do can deactivate the target, and the
  /// change comes before all that they write, as it would in the round.
  ///
  /// - Returns: Whether the change is claimed, so that the caller must relay it.
  @inlinable
  func receive(
    _ value: Value,
    _ version: UInt64,
    _ revision: Revision,
    on thread: CurrentThread
  ) -> Bool {
    target.lock.lock()
    if derivation.isRelay, isLinked, target.canRelay, derivation.pendingChanges.isEmpty,
      thread.pointee.round.isEmpty
    {
      target.deliverer = Deliverer(thread)
      target.lock.unlock()
      self.revision = revision
      isRelaying = true
      return true
    }
    if isLinked, let number = derivation.isRelay ? version : awaited.popFirst()?.number {
      lastBrought = number
      arrived.append((number, value, revision))
      let isFirstComplete = derivation.arrive(at: number)
      if isFirstComplete || target.deliverer.isOffered, target.deliverer.thread == 0 {
        target.deliverer.takeOffer()
        thread.append(derivation.delivery(to: target), isOwn: false)
      }
    }
    target.lock.unlock()
    return false
  }

  /// Takes over what has arrived for a pending change, if anything. Only the target's deliverer
  /// calls this.
  @inlinable
  func advance(to number: UInt64) {
    var hasMore = true
    while hasMore, let arrival = popArrived(for: number, &hasMore) {
      revision = arrival.revision
      current = arrival.value
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

  @inlinable
  func popArrived(for number: UInt64, _ hasMore: inout Bool) -> Arrival? {
    target.lock.lock()
    defer { target.lock.unlock() }
    guard !arrived.isEmpty, arrived[0].number <= number else { return nil }
    let arrival = arrived.popFirst()
    // There are several if pending changes were merged.
    hasMore = !arrived.isEmpty && arrived[0].number <= number
    return arrival
  }

  override func holds(_ number: UInt64) -> Bool {
    super.holds(number) || (0..<arrived.count).contains { arrived[$0].number == number }
  }

  override func renumber(_ numbers: ClosedRange<UInt64>, as number: UInt64) {
    super.renumber(numbers, as: number)
    for index in 0..<arrived.count where numbers.contains(arrived[index].number) {
      arrived[index].number = number
    }
  }

  @usableFromInline
  func start(from evaluation: Evaluation?, at state: CombinedVersion) {
    if let evaluation {
      current = evaluation.value(of: source.channel) as Value
      revision = evaluation.revision(of: source.channel)
    } else {
      revision = Revision(state: state, edition: state)
    }
  }
}

extension Channel {
  /// Delivers a change to the inputs, which come before all other observations. No lock may be
  /// held.
  ///
  /// - Returns: The first observation that isn't an input, and whether changes were claimed, which
  ///   `relayToInputs` must deliver.
  @inlinable
  final func deliverToInputs(
    _ value: Element,
    _ version: UInt64,
    _ revision: Revision,
    _ nodes: Backlog<Element>.Stretch,
    on thread: CurrentThread
  ) -> (rest: Unmanaged<Dust>?, isRelayed: Bool) {
    var (rest, isRelayed): (Unmanaged<Dust>?, Bool) = (nil, false)
    AnyChannel.walk(from: nodes.first, through: nodes.last) { dust in
      guard dust.isInput else {
        rest = .passUnretained(dust)
        return false
      }
      // An input of this channel takes values of this element.
      let input = unsafeDowncast(dust, to: Input<Element>.self)
      if input.since < version, input.receive(value, version, revision, on: thread) {
        isRelayed = true
      }
      return true
    }
    return (rest, isRelayed)
  }

  /// Delivers a change to the relays for which `deliverToInputs` has claimed it.
  @inlinable
  final func relayToInputs(
    _ value: Element,
    _ version: UInt64,
    _ revision: Revision,
    _ nodes: Backlog<Element>.Stretch,
    on thread: CurrentThread
  ) {
    _withUnprotectedUnsafePointer(to: value) { pointer in
      AnyChannel.walk(from: nodes.first, through: nodes.last) { dust in
        guard dust.isInput else { return false }
        let input = unsafeDowncast(dust, to: AnyInput.self)
        if input.isRelaying {
          input.isRelaying = false
          input.derivation.relay(input, UnsafeRawPointer(pointer), version, revision, thread)
        }
        return true
      }
    }
  }
}

extension AnyChannel {
  /// Whether a relay can deliver a change at once: no thread is delivering or offers to hand over,
  /// and nothing derives from this. The lock must be held.
  @inlinable
  final var canRelay: Bool { deliverer.bits == 0 && !hasInputs }
}
