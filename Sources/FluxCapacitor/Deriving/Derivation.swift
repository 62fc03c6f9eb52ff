/// A derived constant's sources, and the changes that it awaits from them.
///
/// While it is observed, a derived constant observes each of its sources through an `AnyInput`. A
/// write to a variable first *invalidates* what derives from it: each constant notes a pending
/// change, and how many arrivals it awaits from which sources. A pending change is computed and
/// delivered when it is the first and all that it awaits has arrived. So one change is delivered
/// once, whatever the shape of the graph, and changes are delivered in the order in which they were
/// noted.
///
/// A transaction invalidates again with each variable that it writes, and others may invalidate in
/// between. Its pending change must then come after theirs if a source brings theirs first. If one
/// source brings it before theirs, and another source after them, no order is right, and they are
/// merged: of transactions that interleave like this, only the result of all of them is whole.
///
/// What starts to be observed while changes are on their way to its sources awaits all of them, as its
/// first pending change, the *base*: parts of them are in the value that it starts with, and the
/// transactions that made them may go on.
///
/// A *relay* delivers each change of its only source, and in the same order, so that there is
/// nothing to decide beforehand: it notes no pending change when it is invalidated, and passes the
/// step on unchanged. If something is in the way of what its source brings, or something derives from
/// the relay, it notes a pending change when that arrives.
///
/// If nothing is in the way, and nothing derives from a constant, whoever completes its first change
/// delivers that at once, behind the source's own observers: see `Input.receive`.
///
/// Invariants:
/// - `pendingChanges`, `lastNumber`, `latest`, each source's `input` and what an input awaits are
///   guarded by the derived channel's lock. So is `isActive`, which also changes only while all
///   roots are locked.
/// - Locks are taken downstream: a variable's first, then that of what derives from it.
/// - The numbers and the versions of the pending changes ascend, and so do the numbers that one input
///   awaits: what arrives, in order, meets them in order.
/// - Except in a relay, a change is noted before any source brings it. So when a pending change is
///   noted again, nothing of it has arrived, except for changes that were merged into it, and of the base.
/// - Only the channel's deliverer, or a thread that makes itself the deliverer under the same lock, takes
///   out a pending change. Whoever completes the first one while nobody delivers claims it or takes a place in its
///   thread's round for it, and so does, by a place, each deliverer that leaves a complete one behind.
@usableFromInline
final class Derivation: @unchecked Sendable {
  @usableFromInline let sources: [AnySource]

  /// The variables that this derives from, in the order of their ranks.
  @usableFromInline let roots: [Root]

  /// The variable, if there is only one.
  @usableFromInline let onlyRoot: Root?

  /// Whether a variable is the only source.
  @usableFromInline let isDirect: Bool

  /// The number of derived constants on the longest path from a variable to this one, including it.
  let depth: Int

  /// Whether this is a `map` of one variable, directly or through other maps.
  @inlinable var isChain: Bool { isRelay && !versionSource.isDerived }

  /// Whether a change of the variables may leave the value as it was: this constant, or one
  /// upstream, keeps an earlier value that is equal.
  @usableFromInline let mayKeepValues: Bool

  /// Whether each change of the only source is a change here, in the same order, so that none has
  /// to be noted before it arrives.
  @usableFromInline let isRelay: Bool

  /// The nearest channel upstream that isn't a relay. Unowned is safe: the sources keep it alive.
  ///
  /// A relay notes nothing when it is invalidated, and so has no versions of its own: it uses those
  /// of this channel, which count a change before it is delivered. So whoever joins a relay between
  /// a write and its delivery, and starts with the new value, isn't called with it twice.
  @usableFromInline unowned(unsafe) let versionSource: AnyChannel

  /// How many inputs observe this. Read with the lock of any root held, and written with those of
  /// all.
  var inputCount = 0

  /// Whether an invalidation has nothing to note here or further downstream.
  var endsInvalidation: Bool { isRelay && inputCount == 0 }

  /// Computes and delivers the first pending change. Created where the type is known; see
  /// `PendingDelivery`.
  @usableFromInline let deliver: @Sendable (AnyObject, UInt64, CurrentThread) -> Void

  /// Computes and delivers a change that a source's deliverer has claimed. Created where the type is
  /// known, too.
  @usableFromInline let deliverClaimed:
    @Sendable (AnyInput, UnsafeRawPointer, UInt64, Revision, CurrentThread) -> Void

  /// Adds the value to an evaluation that has those of the sources. Created where the type is known.
  let evaluate: @Sendable (AnyObject, Evaluation) -> Void

  /// Makes an activated channel ready to deliver changes, starting from the values of its sources at the
  /// time; without an evaluation, only from the state of a variable. Created where the type is known.
  let start: @Sendable (AnyObject, Evaluation?, CombinedVersion, CurrentThread) -> Void

  @exclusivity(unchecked) @usableFromInline var isActive = false

  /// The changes that are on their way here, in order.
  @exclusivity(unchecked) @usableFromInline var pendingChanges = FIFO<PendingChange>()

  /// The version of the pending change that was taken last. Belongs to the deliverer.
  @exclusivity(unchecked) @usableFromInline var takenVersion: UInt64 = 0

  /// The number of the pending change that was appended or moved last.
  @exclusivity(unchecked) @usableFromInline var lastNumber: UInt64 = 0

  /// Each thread's latest change, and the number of its pending change, as long as there may be
  /// one.
  @exclusivity(unchecked) var latest: [(change: UInt64, number: UInt64)] = []

  @usableFromInline
  init(
    from sources: [AnySource],
    keepsValues: Bool,
    deliver: @escaping @Sendable (AnyObject, UInt64, CurrentThread) -> Void,
    deliverClaimed:
      @escaping @Sendable (AnyInput, UnsafeRawPointer, UInt64, Revision, CurrentThread) -> Void,
    evaluate: @escaping @Sendable (AnyObject, Evaluation) -> Void,
    start: @escaping @Sendable (AnyObject, Evaluation?, CombinedVersion, CurrentThread) -> Void
  ) {
    self.sources = sources
    self.deliver = deliver
    self.deliverClaimed = deliverClaimed
    self.evaluate = evaluate
    self.start = start
    mayKeepValues = keepsValues || sources.contains { $0.mayKeepValues }
    depth = 1 + (sources.lazy.compactMap { $0.channel.derivation?.depth }.max() ?? 0)
    roots = sources.count == 1 ? sources[0].roots : Root.union(of: sources)
    onlyRoot = roots.count == 1 ? roots[0] : nil
    isDirect = sources.count == 1 && !sources[0].channel.isDerived
    isRelay = sources.count == 1 && !mayKeepValues
    versionSource = sources[0].channel.firstThatIsNoRelay
  }

  /// One change that is on its way to a derived constant.
  ///
  /// It has a number, the channel's version after it was noted last, because it is delivered to those
  /// who had joined before, and the number of arrivals that are still to come. It is the base if it is
  /// all that was on its way when this was activated.
  @usableFromInline typealias PendingChange = (
    number: UInt64, version: UInt64, awaited: Int32, isBase: Bool
  )

  /// A variable, and the factor of its version in the state of what derives from it.
  @usableFromInline
  struct Root {
    @usableFromInline let channel: AnyChannel
    @usableFromInline let weight: CombinedVersion

    fileprivate static func union(of sources: [AnySource]) -> [Root] {
      let weighed = sources.flatMap { source in
        source.roots.map { Root(channel: $0.channel, weight: $0.weight * source.weight) }
      }
      return Dictionary(grouping: weighed) { ObjectIdentifier($0.channel) }.values
        .map { Root(channel: $0[0].channel, weight: $0.reduce(.zero) { $0 + $1.weight }) }
        .sorted { $0.channel.rank < $1.channel.rank }
    }
  }
}

extension AnyChannel {
  /// Adds an observation or an input. The lock must be held, and those of the roots.
  final func join(_ dust: Dust) {
    // Linking notes the version; see `versionSource`, whose version doesn't change while the roots are
    // locked.
    if let derivation, derivation.isRelay { version = derivation.versionSource.version }
    link(dust)
  }

  /// This channel or, if it is a relay, the nearest one upstream that isn't.
  final var firstThatIsNoRelay: AnyChannel {
    derivation.flatMap { $0.isRelay ? $0.versionSource : nil } ?? self
  }

  /// Its derivation, if it is derived.
  final var derivation: Derivation? {
    // Only a derived channel overrides `upstream`, and returns its derivation.
    upstream.map { unsafeDowncast($0, to: Derivation.self) }
  }
}

extension Derivation {
  /// Locks all variables, so that nothing can be written or invalidated meanwhile.
  ///
  /// It never waits for a lock while it holds another: a mutation may hold the lock of one variable
  /// while its body waits for that of another.
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

  /// Makes the next write to each variable invalidate again, for those who join now. The roots must
  /// be locked.
  ///
  /// - Returns: Whether a transaction in progress has written to any of them.
  func willBeJoined() -> Bool {
    var isHeldBack = false
    for root in roots where root.channel.willJoinDownstream() { isHeldBack = true }
    return isHeldBack
  }

  func unlockRoots() {
    for root in roots { root.channel.lock.unlock() }
  }

  /// The current state of the variables, which must be locked.
  var state: CombinedVersion {
    roots.reduce(.zero) { $0 + $1.weight * CombinedVersion($1.channel.version) }
  }
}

extension AnyChannel {
  /// Takes the lock if it is free, and traps if this thread holds it for a mutation.
  fileprivate final func tryAcquire() -> Bool {
    if lock.isHeldForUser, lock.isHeld(by: CurrentThread.current.id) { trapInMutation() }
    return lock.tryLock()
  }
}

extension AnyChannel {
  /// Visits this channel and all channels upstream, each after its sources, without those that are
  /// done and what only they derive from.
  ///
  /// It is a loop, because recursion along a long chain would overflow the stack.
  ///
  /// - Parameter isDone: Whether to skip a channel, which must hold once the channel was visited.
  final func visitSourcesFirst(unless isDone: (AnyChannel) -> Bool, visit: (AnyChannel) -> Void) {
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
