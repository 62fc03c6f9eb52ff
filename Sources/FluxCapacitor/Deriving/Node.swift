import Synchronization

/// A channel's place in the graph of derived constants.
///
/// | state | meaning | next |
/// |---|---|---|
/// | inactive | nobody observes it; it computes when it is read | fresh, by an observer |
/// | fresh | it is linked to its sources, but what was delivered last is unknown: the next change counts, whatever the value | active, inactive |
/// | active | it computes each change once | inactive, when the last observer has left |
///
/// The variables that it derives from, its *roots*, are all locked whenever it becomes active or
/// inactive, so that no commit comes in between.
@usableFromInline final class Node: Downstream, @unchecked Sendable {
  /// The channel, which owns the node.
  @exclusivity(unchecked) @usableFromInline private(set) var channel: Unmanaged<AnyChannel>!

  /// The first channel of the region. The sources own it, if it is another one.
  @exclusivity(unchecked) @usableFromInline private(set) var regionChannel: Unmanaged<AnyChannel>!

  /// The region, which its first node owns. Set when the node is first linked.
  @exclusivity(unchecked) @usableFromInline var region: Unmanaged<Region>!

  /// None for a variable. Unretained, because the formula of the channel owns them.
  @usableFromInline let sources: [Unmanaged<AnySource>]

  /// The variables that it derives from.
  @exclusivity(unchecked) private(set) var roots: [Root]

  /// Whether it keeps a value that is equal to the one before, or a constant upstream does.
  let mayKeepValues: Bool

  /// The operations whose types only the channel knows. None for a variable.
  let operations: Operations!

  // Guarded by the region's lock.
  @exclusivity(unchecked) var dependents = Dependents()

  /// Whether a region of several variables was created that this variable leads to. A transaction then
  /// lists it whether anybody observes it or not, because that region may become active meanwhile.
  @exclusivity(unchecked) private(set) var isCombined = false
  @exclusivity(unchecked) @usableFromInline var isFresh = false

  /// Whether there is an observation that is ahead; see `Dust`.
  @exclusivity(unchecked) var hasObserversAhead = false

  /// The state of the value that was delivered last, and the state in which it became that.
  @exclusivity(unchecked) @usableFromInline var deliveredState = StateID(value: .max)
  @exclusivity(unchecked) @usableFromInline var edition = StateID.zero

  /// Guarded by the locks of the roots.
  @exclusivity(unchecked) @usableFromInline var isActive = false

  // The change in progress. All of this belongs to the region's deliverer.

  /// How many of its sources the list of these nodes has come to.
  @exclusivity(unchecked) var sourcesReached = 0

  /// Whether the value is another one.
  @exclusivity(unchecked) @usableFromInline var isChanged = false

  /// Whether the node was fresh.
  @exclusivity(unchecked) @usableFromInline var isFirstChange = false

  @exclusivity(unchecked) @usableFromInline var observers: AnyChannel.Stretch = (nil, nil)

  /// Whether some of them are owed a call even if the value is the same.
  @exclusivity(unchecked) private var owesCalls = false

  /// A variable, and the factor of its version in the state of what derives from it.
  struct Root {
    /// The sources own it.
    let reference: Unmanaged<AnyChannel>

    var weight: StateID

    var channel: AnyChannel { reference.takeUnretainedValue() }
  }

  /// Closures that are created where the type is known; see `PendingDelivery`.
  @usableFromInline typealias Operations = (
    /// Computes the value, and returns whether it is another one.
    compute: @Sendable (AnyChannel, Node) -> Bool,

    /// Calls the observers with the value that was computed.
    callObservers: @Sendable (AnyChannel, Node, CurrentThread) -> Void,

    /// Adds the value to an evaluation that has those of the sources.
    evaluate: @Sendable (AnyChannel, Evaluation) -> Void,

    /// Takes the value from an evaluation as the one that was delivered last.
    start: @Sendable (AnyChannel, Evaluation) -> Void
  )

  /// The number of nodes of derived constants that have been created. Relaxed: each gets a greater
  /// number than its sources because it is created after them.
  private static let lastNumber = Atomic<UInt64>(0)

  /// The node of a variable.
  init(ofVariable channel: AnyChannel) {
    self.channel = .passUnretained(channel)
    sources = []
    roots = [Root(reference: .passUnretained(channel), weight: .one)]
    mayKeepValues = false
    operations = nil
    super.init()
    beginRegion()
  }

  /// The node of a derived constant, which attaches it to itself.
  @usableFromInline init(from sources: [AnySource], keepsValues: Bool, _ operations: Operations) {
    self.sources = sources.map { .passUnretained($0) }
    self.operations = operations
    mayKeepValues =
      keepsValues || sources.contains { $0.channel.derivedNode?.mayKeepValues ?? false }
    roots = []
    super.init()
    let number = Node.lastNumber.add(1, ordering: .relaxed).newValue
    for (index, source) in sources.enumerated() {
      source.target = .passUnretained(self)
      source.order = (number, index)
    }
  }

  /// Begins a region if the sources belong to several. Otherwise, they have the same roots.
  @usableFromInline func attach(to channel: AnyChannel) {
    self.channel = .passUnretained(channel)
    let regions = sources.map { $0.use { $0.channel.regionChannel } }
    regionChannel = .passUnretained(regions[0])
    if regions.contains(where: { $0 !== regions[0] }) { beginRegion() }
    roots = isFirst ? Node.union(of: sources) : sources[0].use { $0.roots }
    guard isFirst else { return }
    for root in roots {
      root.channel.acquire()
      let node = root.channel.ensureNode()
      (node.isCombined, node.isInUse) = (true, true)
      root.channel.lock.unlock()
    }
  }

  private func beginRegion() {
    regionChannel = channel
    let region = Region(of: self, in: channel.takeUnretainedValue())
    self.region = .passUnretained(region)
    ownRegion = region
  }

  private static func union(of sources: [Unmanaged<AnySource>]) -> [Root] {
    var roots: [Root] = []
    var indices: [ObjectIdentifier: Int] = [:]
    for source in sources.map({ $0.takeUnretainedValue() }) {
      for root in source.roots {
        let index = indices[ObjectIdentifier(root.channel)] ?? roots.count
        if index == roots.count { roots.append(Root(reference: root.reference, weight: .zero)) }
        indices[ObjectIdentifier(root.channel)] = index
        roots[index].weight = roots[index].weight + source.weight * root.weight
      }
    }
    return roots
  }

  /// Whether it is the first one of its region.
  @inlinable var isFirst: Bool { ownRegion != nil }

  /// The state of the variables that it derives from.
  ///
  /// - Parameter version: Returns the version of a variable, as a state.
  func state(_ version: (AnyChannel) -> StateID) -> StateID {
    roots.reduce(.zero) { $0 + $1.weight * version($1.channel) }
  }

  /// Whether it needs a value to start with: it compares values, or later ones may be missing.
  var needsValues: Bool { mayKeepValues || isFirst || sources.count > 1 }

  /// Whether a variable is the only source.
  @inlinable var readsOneVariable: Bool {
    sources.count == 1 && sources[0].use { !$0.channelReference.use { $0.isDerived } }
  }

  /// Notes that an observer is ahead if the value that a reader finds now may never be delivered to the other
  /// observers, because theirs is equal. The locks of the roots and of the region must be held.
  func noteIfAhead(_ observer: Dust, in region: AnyChannel) {
    guard mayKeepValues else { return }
    let mayHaveMissed = hasOpenRoots || sources[0].use { $0.since < region.version }
    guard isFresh ? mayHaveMissed : deliveredState != currentState else { return }
    observer.isAhead = true
    hasObserversAhead = true
  }

  // MARK: One change; see `Region`

  /// Notes whom to call. The region's lock must be held.
  func prepare(for version: Version) {
    observers = channel.use { $0.stretch }
    isFirstChange = isFresh
    owesCalls = false
    if hasObserversAhead { prepareObserversAhead(for: version) }
  }

  private func prepareObserversAhead(for version: Version) {
    hasObserversAhead = false
    AnyChannel.walk(observers) { dust in
      guard dust.isAhead else { return }
      if dust.since <= version {
        (dust.isAhead, dust.isOwed, owesCalls) = (false, true, true)
      } else {
        hasObserversAhead = true
      }
    }
  }

  /// Computes the value if the change has reached it.
  func compute(_ isReached: Bool) {
    isChanged = isReached && channel.use { operations.compute($0, self) }
    if !isChanged {
      region.use { region in
        region.channel.use { $0.lock.withLock { deliveredState = region.state } }
      }
    }
  }

  /// Calls the observers with the value.
  func callObservers(on thread: CurrentThread) {
    guard isChanged || owesCalls, observers.first != nil else { return }
    channel.use { operations.callObservers($0, self, thread) }
  }

  /// Called when the channel has a new value to deliver. The region's lock must be held.
  @inlinable func didCompute(at state: StateID, for version: Version) {
    deliveredState = state
    edition = state
    // It may have been left meanwhile, and be in use again.
    if isFirst || sources[0].use({ $0.since < version }) { isFresh = false }
  }

  override func forEachDependent(_ body: (AnyChannel) -> Void) {
    dependents.forEach { $0.target.use { $0.channel.use(body) } }
  }
}

extension AnyChannel {
  /// The node, if there is one. For a variable, the lock must be held.
  final var node: Node? {
    // Only `ensureNode` and derived channels set it.
    anyAttachments?.downstream.map { unsafeDowncast($0, to: Node.self) }
  }

  /// Stands for a value that nobody has computed yet.
  @usableFromInline final func trapUncomputed<Value>() -> Value {
    trap("\(self) was read before it was computed.")
  }

  /// The node, if it is derived.
  final var derivedNode: Node? { isDerived ? node : nil }

  /// The node, created if there is none. The lock must be held.
  final func ensureNode() -> Node {
    if let node { return node }
    let node = Node(ofVariable: self)
    ensureAnyAttachments().downstream = node
    return node
  }
}

extension AnySource {
  /// The variables that it derives from.
  final var roots: [Node.Root] {
    channel.derivedNode?.roots ?? [Node.Root(reference: channelReference, weight: .one)]
  }
}
