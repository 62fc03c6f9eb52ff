import Synchronization

/// A channel's place in the graph of derived constants.
///
/// | state | meaning | next |
/// |---|---|---|
/// | inactive | it has no observers, and computes when it is read | fresh, by an observer |
/// | fresh | it is linked to its sources, but its last delivered value is unknown: the next change counts, even with an equal value | active, inactive |
/// | active | it computes each change once | inactive, when the last observer has left |
///
/// The variables that the node derives from are its *roots*. All of them are locked whenever it
/// becomes active or inactive, so no commit comes in between.
@usableFromInline final class Node: Downstream, @unchecked Sendable {
  /// The channel, which owns the node.
  @exclusivity(unchecked) @usableFromInline private(set) var channel: Unmanaged<AnyChannel>!

  /// The first channel of the region. If it isn't the node's own, the sources own it.
  @exclusivity(unchecked) @usableFromInline private(set) var regionChannel: Unmanaged<AnyChannel>!

  /// The region, which its first node owns. Set when the node begins the region or is first linked.
  @exclusivity(unchecked) @usableFromInline var region: Unmanaged<Region>!

  /// The sources; a variable has none. Unretained, because the formula of the channel owns them.
  @usableFromInline let sources: [Unmanaged<AnySource>]

  /// The variables that the node derives from.
  @exclusivity(unchecked) private(set) var roots: [Root]

  /// Whether this constant, or a constant upstream, keeps its value when the next one is equal.
  let mayKeepValues: Bool

  /// The operations that need the type of the values, which only the channel knows. A variable has none.
  let operations: Operations!

  // Guarded by the region's lock.
  @exclusivity(unchecked) var dependents = Dependents()

  /// Whether a constant that begins a region has been derived from this variable. A transaction
  /// then lists the variable even without observers, because that region may become active
  /// meanwhile.
  @exclusivity(unchecked) private(set) var isCombined = false
  @exclusivity(unchecked) @usableFromInline var isFresh = false

  /// Whether an observation of the channel is ahead; see `Dust`.
  @exclusivity(unchecked) var hasObserversAhead = false

  /// The state of the last delivered value, and its edition: the state in which it became the value.
  @exclusivity(unchecked) @usableFromInline var deliveredState = StateID(value: .max)
  @exclusivity(unchecked) @usableFromInline var edition = StateID.zero

  /// Guarded by the locks of the roots.
  @exclusivity(unchecked) @usableFromInline var isActive = false

  // The change in progress. All of this belongs to the region's deliverer.

  /// How many of the node's sources the region has listed so far, while it lists its nodes.
  @exclusivity(unchecked) var sourcesReached = 0

  /// Whether the change gives the node a new value.
  @exclusivity(unchecked) @usableFromInline var isChanged = false

  /// Whether the node was fresh before the change.
  @exclusivity(unchecked) @usableFromInline var isFirstChange = false

  @exclusivity(unchecked) @usableFromInline var observers: AnyChannel.Stretch = (nil, nil)

  /// Whether some observers must be called even if the value is the same.
  @exclusivity(unchecked) private var owesCalls = false

  /// A variable, and the factor of its version in the state of the node.
  struct Root {
    /// The sources own the channel.
    let reference: Unmanaged<AnyChannel>

    var weight: StateID

    var channel: AnyChannel { reference.takeUnretainedValue() }
  }

  /// Closures that are created where the type is known; see `PendingDelivery`.
  @usableFromInline typealias Operations = (
    /// Computes the value, and returns whether it is a new one.
    compute: @Sendable (AnyChannel, Node) -> Bool,

    /// Calls the observers with the computed value.
    callObservers: @Sendable (AnyChannel, Node, CurrentThread) -> Void,

    /// Adds the value to an evaluation that has the values of the sources.
    evaluate: @Sendable (AnyChannel, Evaluation) -> Void,

    /// Makes an evaluation's value the delivered value.
    start: @Sendable (AnyChannel, Evaluation) -> Void
  )

  /// The number of nodes of derived constants that have been created. Relaxed: a node is created
  /// after its sources, so its number is greater than theirs.
  private static let lastNumber = Atomic<UInt64>(0)

  /// Creates the node of a variable.
  init(ofVariable channel: AnyChannel) {
    self.channel = .passUnretained(channel)
    sources = []
    roots = [Root(reference: .passUnretained(channel), weight: .one)]
    mayKeepValues = false
    operations = nil
    super.init()
    beginRegion()
  }

  /// Creates the node of a derived constant. The constant's channel then calls `attach(to:)`.
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

  /// Attaches the node to its channel, and begins a region if the sources belong to several
  /// regions. Otherwise, the sources have the same roots.
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

  /// Whether this is the first node of its region.
  @inlinable var isFirst: Bool { ownRegion != nil }

  /// Returns the state of the variables that the node derives from.
  ///
  /// - Parameter version: Returns the version of a variable, as a state.
  func state(_ version: (AnyChannel) -> StateID) -> StateID {
    roots.reduce(.zero) { $0 + $1.weight * version($1.channel) }
  }

  /// Whether the node needs a value to start with: it compares values, or a change may bring only
  /// some of its sources' values.
  var needsValues: Bool { mayKeepValues || isFirst || sources.count > 1 }

  /// Whether a variable is the only source.
  @inlinable var readsOneVariable: Bool {
    sources.count == 1 && sources[0].use { !$0.channelReference.use { $0.isDerived } }
  }

  /// Marks an observer as ahead if the value that it reads now may never be delivered: the other
  /// observers may have a value that counts as equal. The locks of the roots and of the region must
  /// be held.
  func noteIfAhead(_ observer: Dust, in region: AnyChannel) {
    guard mayKeepValues else { return }
    let mayHaveMissed = hasOpenRoots || sources[0].use { $0.since < region.version }
    guard isFresh ? mayHaveMissed : deliveredState != currentState else { return }
    observer.isAhead = true
    hasObserversAhead = true
  }

  // MARK: One change; see `Region`

  /// Prepares for a change, and records the observers to call. The region's lock must be held.
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

  /// Computes the value if the change has reached the node.
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
    // The node may have become inactive during the change, and then fresh again: it stays fresh.
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

  /// Traps, because a value was needed before it was computed.
  @usableFromInline final func trapUncomputed<Value>() -> Value {
    trap("\(self) was read before it was computed.")
  }

  /// The node, if the channel is derived.
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
  /// The variables that the source derives from.
  final var roots: [Node.Root] {
    channel.derivedNode?.roots ?? [Node.Root(reference: channelReference, weight: .one)]
  }
}
