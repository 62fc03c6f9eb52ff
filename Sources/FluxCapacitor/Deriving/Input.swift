/// A derived constant's observation of one source, whatever its values.
///
/// It is there while the derived constant is observed, and then made anew: what is still told to one
/// that was taken out does no harm. It keeps the derived channel until it is taken out.
@usableFromInline
class AnyInput: Dust, @unchecked Sendable {
  @usableFromInline final let source: AnySource
  @usableFromInline final let target: AnyChannel
  @usableFromInline final let derivation: Derivation

  /// What this source will bring, in order; guarded by the target's lock, as is what it has brought.
  @exclusivity(unchecked) @usableFromInline final var awaited = FIFO<Awaited>()

  /// The number of the entry for which it has brought something last.
  @exclusivity(unchecked) @usableFromInline final var lastBrought: UInt64 = 0

  /// One arrival that is yet to come: the entry that it is for, and what the source calls it; see `Step`.
  @usableFromInline typealias Awaited = (number: UInt64, origin: UInt64)

  /// The state of the source's variables when this joined it, if a change was on its way there; guarded by
  /// the source's lock.
  @exclusivity(unchecked) final var joinedState: CombinedVersion?

  /// The edition by which the source knows the value that this began with, which an evaluation may have
  /// given another; guarded by the target's lock.
  @exclusivity(unchecked) private final var joinedEdition: CombinedVersion?

  /// What was told last; belongs to the target's deliverer.
  @exclusivity(unchecked) @usableFromInline final var revision = Revision()

  /// Whether the source's deliverer has made itself that of the target; belongs to it.
  @exclusivity(unchecked) @usableFromInline final var isRelaying = false

  /// Takes over what has arrived for an entry; made where the type is known, see `Delivery`.
  @usableFromInline final let advance: @Sendable (AnyInput, UInt64) -> Void

  /// Takes over the value that an evaluation has found.
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

  /// Whether this is the input that is in use; the target's lock is held.
  @inlinable
  final var isLinked: Bool { source.input === self }

  final func noteJoined(_ edition: CombinedVersion) {
    target.lock.withLock { joinedEdition = edition }
  }

  /// Whether an edition is of the value that this began with. There is none later that is.
  @usableFromInline
  final func hasJoined(with edition: CombinedVersion) -> Bool {
    target.lock.withLock { joinedEdition == edition }
  }

  override final var observerCount: Int { target.observerCount }

  // MARK: What is awaited; the target's lock is held

  /// The number of the last entry for which the source brings something, or has.
  final var lastAwaited: UInt64 {
    awaited.isEmpty ? lastBrought : awaited[awaited.count - 1].number
  }

  /// Notes that the source will bring something for an entry, after all that it brings before.
  final func await(_ number: UInt64, as origin: UInt64) {
    awaited.append((number, origin))
  }

  /// The entry for which the source brings what it calls by a number.
  final func number(of origin: UInt64) -> UInt64? {
    awaited.lastIndex { $0.origin == origin }.map { awaited[$0].number }
  }

  /// Whether the source brings something for an entry, or has.
  func holds(_ number: UInt64) -> Bool {
    (0..<awaited.count).contains { awaited[$0].number == number }
  }

  /// Notes that pending changes have another number now.
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
  /// What has come in and is not used yet; guarded by the target's lock.
  @exclusivity(unchecked) @usableFromInline var arrived = FIFO<Arrival>()

  /// The value that the target uses; belongs to its deliverer.
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
    // What is derived itself delivers to its inputs in a way of its own.
    guard !source.channel.isDerived else { return }
    let backlog = unsafeDowncast(source.channel, to: Channel<Value>.self).existingBacklog()
    backlog.invalidate = { $0.invalidateDownstream($1, isMoved: $2, on: $3) }
    backlog.receive = { channel, value, version, nodes, thread in
      channel.deliverToInputs(value, version, Revision(ofVariable: version), nodes, on: thread)
    }
    backlog.relay = { channel, value, version, nodes, thread in
      channel.relayToInputs(value, version, Revision(ofVariable: version), nodes, on: thread)
    }
  }

  /// Takes in a change of the source; only the source's deliverer calls this.
  ///
  /// - Returns: Whether that has to see to it that the target relays the change.
  @inlinable
  func receive(
    _ value: Value,
    _ version: UInt64,
    _ revision: Revision,
    on thread: CurrentThread
  ) -> Bool {
    target.lock.lock()
    if derivation.isRelay, isLinked, target.canRelay, derivation.pendingChanges.isEmpty {
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

  /// Takes over what has arrived for an entry, if anything; only the target's deliverer calls this.
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
  /// It is let go of if there is no other source, for then it is used once: a copy would make the next
  /// change in place one of all elements.
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
    // Several, if what came for several changes is delivered as one.
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
  /// Brings a change to the inputs of derived constants, which come first; no lock is held.
  ///
  /// - Returns: The first observation that is none.
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

  /// Has those constants relay a change whose inputs wait for that.
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
  /// Whether a change can be delivered at once: nobody else is at it, and nothing derives from this. The
  /// lock is held.
  @inlinable
  final var canRelay: Bool { deliverer.bits == 0 && !hasInputs }
}
