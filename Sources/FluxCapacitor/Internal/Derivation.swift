/// How a derived constant hangs together with what it is derived from, and which changes it awaits.
///
/// While it is observed, a derived constant observes its sources, through an `AnyInput` each. A write
/// to a variable first *marks* all that derives from it: each takes an entry for that change, in which
/// it notes the sources that will bring it. An entry is computed and told when it is the first and all
/// that it awaits has arrived. So one change comes out as one call, whatever the shape of the graph,
/// and changes come out in the order in which they were marked.
///
/// A transaction marks here each time that it writes to something else, and others may mark in between.
/// Then its entry has to be behind theirs, as far as a source brings them first. Where one source brings
/// it before theirs and another source behind, no order is right, and they become one entry: of
/// transactions that are mixed up, nothing but what comes of all of them is whole.
///
/// Invariants:
/// - `entries`, `latest`, each source's `input` and what an input awaits are guarded by the derived
///   channel's lock. So is `isActive`, which besides changes only while all roots are locked.
/// - Locks are taken downstream: a variable's first, then that of what derives from it.
/// - The numbers of the entries grow from the first to the last, and so do those of the entries that
///   one input awaits: what arrives, in order, meets them in order.
/// - A change is marked before any source brings it. So nothing of an entry that is marked again has
///   arrived, but for what it was made one with.
/// - An entry is taken out by the channel's deliverer. Whoever completes the first entry while nobody
///   delivers, and each deliverer that leaves a complete one behind, takes a place in its round for it.
@usableFromInline
final class Derivation: @unchecked Sendable {
  @usableFromInline let sources: [AnySource]

  /// The variables that all of this derives from, in the order of their addresses.
  @usableFromInline let roots: [Root]

  /// The variable, if there is one only.
  @usableFromInline let onlyRoot: Root?

  /// Whether that is the only source too.
  @usableFromInline let isDirect: Bool

  /// How many derived constants there are at most from a variable to this one, this one included.
  let depth: Int

  /// Whether nothing but `map` lies between here and the one variable.
  let isChain: Bool

  /// Whether a change may be none here, for a value before it is kept.
  let mayKeepValues: Bool

  /// Computes and tells the first entry; made where the type is known, see `Delivery`.
  @usableFromInline let deliver: @Sendable (AnyChannel, UInt64, CurrentThread) -> Void

  @exclusivity(unchecked) @usableFromInline var isActive = false

  /// The changes that are on their way here, in order.
  @exclusivity(unchecked) @usableFromInline var entries = FIFO<Entry>()

  /// The number of the entry that was added or moved last.
  @exclusivity(unchecked) @usableFromInline var lastNumber: UInt64 = 0

  /// Each thread's latest change, and the number of its entry, as far as that may still be there.
  @exclusivity(unchecked) private var latest: [(change: UInt64, number: UInt64)] = []

  /// The dispatchers that have been seen to write to the roots, if there are several; guarded by the
  /// lock, and left alone while all roots are locked.
  @exclusivity(unchecked) var dispatchers: [ObjectIdentifier] = []

  @usableFromInline
  init(
    from sources: [AnySource],
    isMap: Bool,
    keepsValues: Bool,
    deliver: @escaping @Sendable (AnyChannel, UInt64, CurrentThread) -> Void
  ) {
    self.sources = sources
    self.deliver = deliver
    mayKeepValues =
      keepsValues || sources.contains { $0.channel.derivation?.mayKeepValues ?? false }
    depth = 1 + (sources.lazy.compactMap { $0.channel.derivation?.depth }.max() ?? 0)
    isChain = isMap && (sources[0].channel.derivation?.isChain ?? true)
    roots = sources.count == 1 ? sources[0].roots : Root.union(of: sources)
    onlyRoot = roots.count == 1 ? roots[0] : nil
    isDirect = sources.count == 1 && !sources[0].channel.isDerived
  }

  /// One change that is on its way to a derived constant.
  @usableFromInline
  struct Entry {
    @usableFromInline var number: UInt64

    /// The walk that came here last.
    var pass: UInt64

    /// The channel's version then: those are told who had subscribed before.
    @usableFromInline var version: UInt64

    /// How many arrivals are yet to come.
    @usableFromInline var awaited: Int32 = 0
  }

  /// A variable, and how much its version counts in that of what derives from it.
  @usableFromInline
  struct Root {
    @usableFromInline let channel: AnyChannel
    @usableFromInline let weight: Fingerprint

    fileprivate static func union(of sources: [AnySource]) -> [Root] {
      var weights: [ObjectIdentifier: Root] = [:]
      for source in sources {
        for root in source.roots {
          let id = ObjectIdentifier(root.channel)
          let weight = root.weight * source.weight + (weights[id]?.weight ?? .zero)
          weights[id] = Root(channel: root.channel, weight: weight)
        }
      }
      return weights.sorted { $0.key < $1.key }.map(\.value)
    }
  }
}

// MARK: - Entries

extension Derivation {
  /// Notes that a source will bring a change; the lock is held.
  ///
  /// - Returns: How the marking goes on downstream, if it does.
  func note(
    _ marking: Marking,
    _ step: Step,
    from input: AnyInput,
    in channel: AnyChannel,
    on thread: CurrentThread
  ) -> Step? {
    if onlyRoot == nil, let turn = marking.turn, !dispatchers.contains(turn) {
      dispatchers.append(turn)
    }
    if step.kind == .again, let number = input.number(of: step.origin) {
      return renew(number, .again, formerly: number, for: marking, in: channel)
    }
    let replaced = takeBack(step, from: input)
    let known = number(of: marking.change)
    var (kind, former, number) = (Step.Kind.again, known ?? replaced, known ?? replaced)
    if step.kind == .merged, let first = [known, replaced].compactMap(\.self).min() {
      (kind, former, number) = (.merged, first, merge(from: first))
    } else if let known, known <= input.lastAwaited {
      former = known
      if canMove(known) {
        (kind, number) = (.moved, move(known, on: thread, in: channel))
      } else {
        (kind, number) = (.merged, merge(from: known))
      }
    }
    guard let number, let former else {
      return append(marking, step, from: input, in: channel)
    }
    noteLatest(marking.change, is: number)
    input.await(number, as: step.origin)
    entries[index(of: number)].awaited += 1
    return renew(number, kind, formerly: former, for: marking, in: channel)
  }

  private func append(
    _ marking: Marking,
    _ step: Step,
    from input: AnyInput,
    in channel: AnyChannel
  ) -> Step {
    channel.version &+= 1
    lastNumber &+= 1
    entries.append(
      Entry(number: lastNumber, pass: marking.pass, version: channel.version, awaited: 1)
    )
    input.await(lastNumber, as: step.origin)
    noteLatest(marking.change, is: lastNumber)
    return Step(kind: .new, origin: lastNumber, former: lastNumber)
  }

  /// Makes an entry newer than whoever has subscribed by now: it is told to them too.
  private func renew(
    _ number: UInt64,
    _ kind: Step.Kind,
    formerly former: UInt64,
    for marking: Marking,
    in channel: AnyChannel
  ) -> Step? {
    let index = index(of: number)
    // Behind a walk's first step here, which has gone on, another that changes nothing needs not.
    if kind == .again, entries[index].pass == marking.pass { return nil }
    channel.version &+= 1
    entries[index].pass = marking.pass
    entries[index].version = channel.version
    return Step(kind: kind, origin: number, former: former)
  }

  /// Has an input no more await what its source will bring in another place.
  ///
  /// - Returns: The number of the first entry that it awaited for that.
  private func takeBack(_ step: Step, from input: AnyInput) -> UInt64? {
    switch step.kind {
    case .new, .again:
      return nil
    case .moved:
      return takeBackLast(from: input) { $0 == step.former }
    case .merged:
      var first: UInt64?
      while let number = takeBackLast(from: input, where: { $0 >= step.former }) { first = number }
      return first
    }
  }

  private func takeBackLast(from input: AnyInput, where isTaken: (UInt64) -> Bool) -> UInt64? {
    let awaited = input.awaited.removeLast { isTaken($0.origin) }
    guard let number = awaited?.number else { return nil }
    entries[index(of: number)].awaited -= 1
    return number
  }

  /// Whether no source brings something behind an entry that is to go behind the others.
  private func canMove(_ number: UInt64) -> Bool {
    sources.allSatisfy { source in
      guard let input = source.input else { return true }
      return input.lastAwaited <= number || !input.holds(number)
    }
  }

  /// Makes an entry the last one; answers its new number.
  private func move(_ number: UInt64, on thread: CurrentThread, in channel: AnyChannel) -> UInt64 {
    guard var entry = entries.removeLast(where: { $0.number == number }) else { return number }
    lastNumber &+= 1
    entry.number = lastNumber
    // What was waiting behind it may have arrived.
    if isReady, channel.deliverer.thread == 0 {
      thread.append(delivery(of: channel), isOwn: false)
    }
    entries.append(entry)
    renumber(number...number, as: lastNumber)
    return lastNumber
  }

  /// Makes one entry of this and all behind it; answers its number.
  private func merge(from first: UInt64) -> UInt64 {
    let start = index(of: first)
    var merged = entries[start]
    while entries.count > start + 1, let later = entries.popLast() {
      merged.number = max(merged.number, later.number)
      merged.awaited += later.awaited
    }
    entries[start] = merged
    renumber(first...merged.number, as: merged.number)
    return merged.number
  }

  private func renumber(_ numbers: ClosedRange<UInt64>, as number: UInt64) {
    for source in sources { source.input?.renumber(numbers, as: number) }
    for index in latest.indices where numbers.contains(latest[index].number) {
      latest[index].number = number
    }
  }

  /// The number of the entry for a change, which can only be the latest of its thread.
  private func number(of change: UInt64) -> UInt64? {
    guard !entries.isEmpty, let latest = latest.first(where: { $0.change == change }),
      latest.number >= entries[0].number
    else { return nil }
    return latest.number
  }

  private func noteLatest(_ change: UInt64, is number: UInt64) {
    let first = entries[0].number
    if let index = latest.firstIndex(where: {
      $0.change >> 40 == change >> 40 || $0.number < first
    }) {
      latest[index] = (change, number)
      // One thread, one note: the place may have been that of another thread, before its own.
      if let other = latest[(index + 1)...].firstIndex(where: { $0.change >> 40 == change >> 40 }) {
        latest.remove(at: other)
      }
    } else {
      latest.append((change, number))
    }
  }

  /// Where an entry is. O(log n), and at once if none was moved.
  @usableFromInline
  func index(of number: UInt64) -> Int32 {
    // Without gaps it would be there.
    let guess = Int32(truncatingIfNeeded: number &- entries[0].number)
    if guess < entries.count, entries[guess].number == number { return guess }
    var (low, high): (Int32, Int32) = (0, min(guess, entries.count))
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Notes that a source has brought a change; the lock is held.
  ///
  /// - Returns: Whether the first entry is complete by that.
  @inlinable
  func arrive(at number: UInt64) -> Bool {
    let index = index(of: number)
    entries[index].awaited -= 1
    return index == 0 && entries[0].awaited == 0
  }

  /// Whether the first entry can be told; the lock is held.
  @inlinable
  var isReady: Bool { !entries.isEmpty && entries[0].awaited == 0 }

  /// Takes over what the sources have brought for an entry. Only the deliverer calls this.
  ///
  /// - Returns: What it comes to, and whether a source has another value now.
  @inlinable
  func advance(to number: UInt64) -> (Revision, isChanged: Bool) {
    var revision = Revision()
    var isChanged = false
    for source in sources {
      guard let input = source.input else { continue }
      let before = input.revision.edition
      input.advance(input, number)
      let edition = input.revision.edition
      if edition != before, !source.channel.isDerived || !source.channel.isSame(before, edition) {
        isChanged = true
      }
      revision.state = revision.state + source.weight * input.revision.state
      revision.edition = revision.edition + source.weight * edition
    }
    return (revision, isChanged)
  }

  /// A place in a round at which the first entry is told.
  @inlinable
  func delivery(of channel: AnyChannel) -> Delivery {
    Delivery(of: channel, at: 0, by: deliver)
  }
}
