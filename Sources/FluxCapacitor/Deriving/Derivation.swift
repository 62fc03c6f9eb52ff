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

  /// The variables that all of this derives from, in the order of their ranks.
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
  @usableFromInline let mayKeepValues: Bool

  /// Computes and tells the first entry; made where the type is known, see `Delivery`.
  @usableFromInline let deliver: @Sendable (AnyChannel, UInt64, CurrentThread) -> Void

  @exclusivity(unchecked) @usableFromInline var isActive = false

  /// The changes that are on their way here, in order.
  @exclusivity(unchecked) @usableFromInline var entries = FIFO<Entry>()

  /// The number of the entry that was added or moved last.
  @exclusivity(unchecked) @usableFromInline var lastNumber: UInt64 = 0

  /// Each thread's latest change, and the number of its entry, as far as that may still be there.
  @exclusivity(unchecked) var latest: [(change: UInt64, number: UInt64)] = []

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
      return weights.values.sorted { $0.channel.rank < $1.channel.rank }
    }
  }
}
