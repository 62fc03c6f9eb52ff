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
/// - `pendingChanges`, `latest`, each source's `input` and what an input awaits are guarded by the derived
///   channel's lock. So is `isActive`, which besides changes only while all roots are locked.
/// - Locks are taken downstream: a variable's first, then that of what derives from it.
/// - The numbers of the pending changes grow from the first to the last, and so do those of the ones that
///   one input awaits: what arrives, in order, meets them in order.
/// - A change is marked before any source brings it. So nothing of an entry that is marked again has
///   arrived, but for what it was made one with.
/// - An entry is taken out by the channel's deliverer. Whoever completes the first entry while nobody
///   delivers, and each deliverer that leaves a complete one behind, takes a place in its round for it.
@usableFromInline
final class Derivation: @unchecked Sendable {
  @usableFromInline let sources: [AnySource]

  /// The derived channel, which has this.
  unowned(unsafe) var owner: (any AnyDerivedChannel)?

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

  /// Whether each change of the only source is one here, in the same order: then none has to be noted
  /// before it comes.
  @usableFromInline let isRelay: Bool

  /// What a relay has its versions from: the nearest channel upstream that is none.
  @usableFromInline unowned(unsafe) let origin: AnyChannel

  /// How many inputs there are of what derives from this. Read with the lock of any root held, and written
  /// with those of all.
  var inputCount = 0

  /// Whether nothing has to be noted here before it comes, nor further down.
  var isEnd: Bool { isRelay && inputCount == 0 }

  /// Computes and tells the first entry; made where the type is known, see `Delivery`.
  @usableFromInline let deliver: @Sendable (AnyObject, UInt64, CurrentThread) -> Void

  /// Computes and delivers a change of the only source; made where the type is known, too.
  @usableFromInline let relay:
    @Sendable (AnyInput, UnsafeRawPointer, UInt64, Revision, CurrentThread) -> Void

  @exclusivity(unchecked) @usableFromInline var isActive = false

  /// The changes that are on their way here, in order.
  @exclusivity(unchecked) @usableFromInline var pendingChanges = FIFO<PendingChange>()

  /// The number of the entry that was added or moved last.
  @exclusivity(unchecked) @usableFromInline var lastNumber: UInt64 = 0

  /// Each thread's latest change, and the number of its entry, as far as that may still be there.
  @exclusivity(unchecked) var latest: [(change: UInt64, number: UInt64)] = []

  @usableFromInline
  init(
    from sources: [AnySource],
    isMap: Bool,
    keepsValues: Bool,
    deliver: @escaping @Sendable (AnyObject, UInt64, CurrentThread) -> Void,
    relay: @escaping @Sendable (AnyInput, UnsafeRawPointer, UInt64, Revision, CurrentThread) -> Void
  ) {
    self.relay = relay
    self.sources = sources
    self.deliver = deliver
    mayKeepValues =
      keepsValues || sources.contains { $0.mayKeepValues }
    depth = 1 + (sources.lazy.compactMap { $0.channel.derivation?.depth }.max() ?? 0)
    isChain = isMap && (sources[0].channel.derivation?.isChain ?? true)
    roots = sources.count == 1 ? sources[0].roots : Root.union(of: sources)
    onlyRoot = roots.count == 1 ? roots[0] : nil
    isDirect = sources.count == 1 && !sources[0].channel.isDerived
    isRelay = sources.count == 1 && !mayKeepValues
    let source = sources[0].channel
    origin = source.derivation.flatMap { $0.isRelay ? $0.origin : nil } ?? source
  }

  /// One change that is on its way to a derived constant.
  @usableFromInline
  struct PendingChange {
    @usableFromInline var number: UInt64

    /// The walk that came here last.
    var pass: UInt64

    /// The channel's version then: those are told who had subscribed before.
    @usableFromInline var version: UInt64

    /// How many arrivals are yet to come.
    @usableFromInline var awaited: Int32 = 0

    @usableFromInline
    init(number: UInt64, pass: UInt64 = 0, version: UInt64, awaited: Int32 = 0) {
      self.number = number
      self.pass = pass
      self.version = version
      self.awaited = awaited
    }
  }

  /// A variable, and how much its version counts in that of what derives from it.
  @usableFromInline
  struct Root {
    @usableFromInline let channel: AnyChannel
    @usableFromInline let weight: CombinedVersion

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

/// The channel of a derived constant, whatever its values.
protocol AnyDerivedChannel: AnyChannel {
  /// Notes that an input joins, at the present state of the variables; they are locked.
  func note(_ input: AnyInput)

  /// Forgets who has joined while a change was on its way; returns what is known of them, to be released
  /// outside the lock, which is held.
  func takeAllJoiners() -> Any?

  /// Finds its value from those of its sources, which the evaluation knows.
  func evaluate(in evaluation: Evaluation)

  /// Makes an activated channel ready to deliver changes, from what its sources are at that time.
  ///
  /// - Parameter evaluation: Not there if nothing but a variable's version is needed, which is `state`.
  func start(from evaluation: Evaluation?, at state: CombinedVersion, on thread: CurrentThread)
}

extension AnyChannel {
  /// Adds an observation or an input; the lock is held, and those of the roots are.
  final func join(_ dust: Dust) {
    if let derivation, derivation.isRelay { version = derivation.origin.version }
    if dust.isInput { link(input: dust) } else { link(dust) }
  }

  /// How it is derived, if it is.
  final var derivation: Derivation? {
    // Nothing but a derived channel has something upstream, and that is its derivation.
    upstream.map { unsafeDowncast($0, to: Derivation.self) }
  }
}

extension Derivation {
  /// Locks all variables at once, which stops every change on the way here.
  ///
  /// It waits for one lock only while it holds none, for the lock of a variable may be held by a
  /// mutation, whose body may want another of these.
  func lockRoots() {
    var first = 0
    while true {
      roots[first].channel.acquire()
      guard
        let busy = roots.indices.first(where: { $0 != first && !roots[$0].channel.tryAcquire() })
      else { return }
      for index in roots.indices where index == first || index < busy {
        roots[index].channel.lock.unlock()
      }
      first = busy
    }
  }

  /// Sees to it that what is written from now on is marked anew; the roots are locked.
  ///
  /// - Returns: Whether a transaction is under way that has written to them.
  func willBeJoined() -> Bool {
    var isAmid = false
    for root in roots where root.channel.willJoinDownstream() { isAmid = true }
    return isAmid
  }

  func unlockRoots() {
    for root in roots { root.channel.lock.unlock() }
  }

  /// What tells the present state of the variables from all others; they are locked.
  var state: CombinedVersion {
    roots.reduce(.zero) { $0 + $1.weight * CombinedVersion($1.channel.version) }
  }
}

extension AnyChannel {
  /// Takes the lock if nobody has it, and traps if this thread is inside a mutation under it.
  fileprivate final func tryAcquire() -> Bool {
    if lock.isHeldForUser, lock.isHeld(by: CurrentThread.current.id) { trapInMutation() }
    return lock.tryLock()
  }
}

extension AnyChannel {
  /// Visits this channel and all that it derives from, each after its sources, but for those that are
  /// done and what only they derive from.
  ///
  /// It is a loop, so that a long chain takes no stack.
  ///
  /// - Parameter isDone: Whether to leave a channel out; it must be so once the channel was visited.
  final func visitSourcesFirst(
    unless isDone: (AnyChannel) -> Bool,
    visit: (AnyChannel) -> Void
  ) {
    guard !isDone(self) else { return }
    var path: [(channel: AnyChannel, nextSource: Int)] = [(self, 0)]
    while let (channel, nextSource) = path.last {
      if let sources = channel.derivation?.sources, nextSource < sources.count {
        path[path.count - 1].nextSource += 1
        let source = sources[nextSource].channel
        if !isDone(source) { path.append((source, 0)) }
      } else {
        visit(channel)
        path.removeLast()
      }
    }
  }
}
