/// How a derived constant hangs together with what it is derived from, and which changes it awaits.
///
/// While it is observed, a derived constant observes its sources, through an `AnyInput` each. A write
/// to a variable first *marks* all that derives from it: each takes an entry for that change, in which
/// it notes the sources that will bring it. An entry is computed and told when it is the first and all
/// that it awaits has arrived. So one change comes out as one call, whatever the shape of the graph,
/// and changes come out in the order in which they were marked.
///
/// Invariants:
/// - `entries`, `latest`, each source's `input` and what an input awaits are guarded by the derived
///   channel's lock. So is `isActive`, which besides changes only while all roots are locked.
/// - Locks are taken downstream: a variable's first, then that of what derives from it.
/// - The numbers of the entries that one input awaits only grow, so that what arrives, in order, meets
///   them in order.
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

  /// Whether nothing but `map` lies between here and the one variable.
  let isChain: Bool

  /// Computes and tells the first entry; made where the type is known, see `Delivery`.
  @usableFromInline let deliver: @Sendable (AnyChannel, UInt64, CurrentThread) -> Void

  @exclusivity(unchecked) @usableFromInline var isActive = false

  /// The changes that are on their way here, in order.
  @exclusivity(unchecked) @usableFromInline var entries = FIFO<Entry>()

  /// Entries are numbered without gaps; this is the number of the last one.
  @exclusivity(unchecked) @usableFromInline var lastNumber: UInt64 = 0

  /// The number of each thread's latest entry, as far as it may still be there.
  @exclusivity(unchecked) private var latest: [(thread: UInt64, number: UInt64)] = []

  /// The dispatchers that have been seen to write to the roots, if there are several; guarded by the
  /// lock, and left alone while all roots are locked.
  @exclusivity(unchecked) var dispatchers: [ObjectIdentifier] = []

  /// Where a marking has come from that has gone on downstream; belongs to it, as the lock does.
  @exclusivity(unchecked) var trail: Trail?

  @usableFromInline
  init(
    from sources: [AnySource],
    isMap: Bool,
    deliver: @escaping @Sendable (AnyChannel, UInt64, CurrentThread) -> Void
  ) {
    self.sources = sources
    self.deliver = deliver
    isChain = isMap && (sources[0].channel.derivation?.isChain ?? true)
    roots = sources.count == 1 ? sources[0].roots : Root.union(of: sources)
    onlyRoot = roots.count == 1 ? roots[0] : nil
    isDirect = sources.count == 1 && !sources[0].channel.isDerived
  }

  /// One change that is on its way to a derived constant.
  @usableFromInline
  struct Entry {
    /// The number of the transaction, or of the one write, that makes it.
    let change: UInt64

    /// The marking that came here last.
    var pass: UInt64

    /// The channel's version then: those are told who had subscribed before.
    @usableFromInline var version: UInt64

    /// How many sources have not brought it yet.
    @usableFromInline var awaited: Int32 = 1

    init(of marking: Marking, version: UInt64) {
      change = marking.change
      pass = marking.pass
      self.version = version
    }
  }

  /// Where a marking has come from that has gone on to this constant's own inputs.
  struct Trail {
    let channel: AnyChannel
    let onward: Onward
    let node: Unmanaged<Dust>
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
  /// - Parameter isKnown: Whether the source will bring it anyway, and only brings something newer.
  /// - Returns: Whether and how the marking goes on downstream.
  func await(
    _ marking: Marking,
    from input: AnyInput,
    isKnown: Bool,
    in channel: AnyChannel
  ) -> Onward {
    if onlyRoot == nil, let turn = marking.turn, !dispatchers.contains(turn) {
      dispatchers.append(turn)
    }
    if isKnown {
      // What the input awaits last, it awaits still.
      return renew(input.lastAwaited, for: marking, in: channel)
    }
    if let number = number(of: marking.change), input.await(number) {
      entries[Int32(truncatingIfNeeded: number &- firstNumber)].awaited += 1
      return renew(number, for: marking, in: channel)
    }
    channel.version &+= 1
    lastNumber &+= 1
    entries.append(Entry(of: marking, version: channel.version))
    _ = input.await(lastNumber)
    noteLatest(of: marking.change >> 40, is: lastNumber)
    return .asNew
  }

  /// Makes an entry newer than whoever has subscribed by now: it is told to them too.
  private func renew(_ number: UInt64, for marking: Marking, in channel: AnyChannel) -> Onward {
    let index = Int32(truncatingIfNeeded: number &- firstNumber)
    guard entries[index].pass != marking.pass else { return .no }
    defer { entries[index].pass = marking.pass }
    let version = entries[index].version
    channel.version &+= 1
    entries[index].version = channel.version
    return .asKnown(before: version)
  }

  /// The number of the entry for a change, which can only be the latest of its thread.
  private func number(of change: UInt64) -> UInt64? {
    guard !entries.isEmpty, let last = latest.first(where: { $0.thread == change >> 40 }),
      last.number >= firstNumber,
      entries[Int32(truncatingIfNeeded: last.number &- firstNumber)].change == change
    else { return nil }
    return last.number
  }

  private func noteLatest(of thread: UInt64, is number: UInt64) {
    let first = firstNumber
    if let index = latest.firstIndex(where: { $0.thread == thread || $0.number < first }) {
      latest[index] = (thread, number)
      // One thread, one note: the place may have been that of another thread, before its own.
      if let other = latest[(index + 1)...].firstIndex(where: { $0.thread == thread }) {
        latest.remove(at: other)
      }
    } else {
      latest.append((thread, number))
    }
  }

  /// The number of the first entry; the lock is held.
  @inlinable
  var firstNumber: UInt64 { lastNumber &+ 1 &- UInt64(truncatingIfNeeded: entries.count) }

  /// Notes that a source has brought a change; the lock is held.
  ///
  /// - Returns: Whether the first entry is complete by that.
  @inlinable
  func arrive(at number: UInt64) -> Bool {
    let index = Int32(truncatingIfNeeded: number &- firstNumber)
    entries[index].awaited -= 1
    return index == 0 && entries[0].awaited == 0
  }

  /// Whether the first entry can be told; the lock is held.
  @inlinable
  var isReady: Bool { !entries.isEmpty && entries[0].awaited == 0 }

  /// Takes over what the sources have brought for an entry; answers what they come to. Only the
  /// deliverer calls this.
  @inlinable
  func advance(to number: UInt64) -> Revision {
    var revision = Revision()
    for source in sources {
      guard let input = source.input else { continue }
      input.advance(input, number)
      revision.state = revision.state + source.weight * input.revision.state
      revision.edition = revision.edition + source.weight * input.revision.edition
    }
    return revision
  }

  /// A place in a round at which the first entry is told.
  @inlinable
  func delivery(of channel: AnyChannel) -> Delivery {
    Delivery(of: channel, at: 0, by: deliver)
  }
}
