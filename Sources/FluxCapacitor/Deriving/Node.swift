import Synchronization

/// The node of a channel in the graph of derived constants.
///
/// - An inactive node has no observers. Its channel computes a value when a thread reads the channel. An
///   observer makes the node fresh.
/// - A fresh node is linked to its sources, but its last delivered value is unknown. So the node's next
///   change counts, even if the value is equal. A first value makes a fresh node active.
/// - An active node computes each change once. The node becomes inactive when its last observer has
///   left.
///
/// The variables that the node derives from are its *roots*. A thread that activates or deactivates the
/// node holds the locks of all roots, so no transaction can commit at the same time.
@usableFromInline final class Node: Downstream, @unchecked Sendable {
  /// The channel that owns this node.
  @exclusivity(unchecked) @usableFromInline private(set) var channel: Unmanaged<AnyChannel>!

  /// The first channel of the region. If the region begins with a different channel than the node's own,
  /// the node's sources keep that channel alive.
  @exclusivity(unchecked) @usableFromInline private(set) var regionChannel: Unmanaged<AnyChannel>!

  /// The region that the node belongs to. The reference is set when the node begins the region or is
  /// first linked. The first node of a region owns the region.
  @exclusivity(unchecked) @usableFromInline var region: Unmanaged<Region>!

  /// The sources that the node derives from; the node of a variable has no sources. The formula of the
  /// channel owns the sources, so these references are unretained.
  @usableFromInline let sources: [Unmanaged<AnySource>]

  /// The variables that the node derives from.
  @exclusivity(unchecked) private(set) var roots: [Root]

  @usableFromInline var firstRoot: Unmanaged<AnyChannel> { roots[0].reference }

  /// Whether this constant or a constant upstream keeps its old value if the next value is equal.
  let mayKeepValues: Bool

  /// The operations that need the type of the channel's values, or `nil` for the node of a variable.
  let operations: Operations!

  // The region's lock guards the properties from `dependents` through `edition`.
  @exclusivity(unchecked) var dependents = Dependents()

  @exclusivity(unchecked) @usableFromInline var isFresh = false

  /// Whether an observation of the channel is ahead of the other observations; see `Dust.isAhead`.
  @exclusivity(unchecked) var hasObserversAhead = false

  /// The state of the last delivered value. `edition` is the state in which that value became current.
  @exclusivity(unchecked) @usableFromInline var deliveredState = StateID(value: .max)
  @exclusivity(unchecked) @usableFromInline var edition = StateID.zero

  /// Whether the node is linked to its sources. The locks of the roots guard this flag.
  @exclusivity(unchecked) @usableFromInline var isActive = false

  // Only the region's deliverer uses the properties below, which describe the change in progress.

  /// The number of the node's sources that the region has listed so far for the change in progress.
  @exclusivity(unchecked) var sourcesReached = 0

  /// Whether the change gives the node a new value.
  @exclusivity(unchecked) @usableFromInline var isChanged = false

  /// Whether the node was fresh before the change, so that even an equal value counts as new.
  @exclusivity(unchecked) @usableFromInline var isFirstChange = false

  @exclusivity(unchecked) @usableFromInline var observers: AnyChannel.Stretch = (nil, nil)

  /// Whether some observers must be called even if the node's value is unchanged.
  @exclusivity(unchecked) private var owesCalls = false

  /// A variable that the node derives from, and the factor of the variable's version in the node's
  /// state.
  struct Root {
    /// The variable's channel, which the node's sources keep alive.
    let reference: Unmanaged<AnyChannel>

    var weight: StateID

    var channel: AnyChannel { reference.takeUnretainedValue() }
  }

  /// Closures that are created in code that knows the type of the values; see `PendingDelivery`.
  @usableFromInline typealias Operations = (
    /// Computes the channel's value, and returns whether the value is new.
    compute: @Sendable (AnyChannel, Node) -> Bool,

    /// Calls the observers with the computed value.
    callObservers: @Sendable (AnyChannel, Node, CurrentThread) -> Void,

    /// Adds the channel's value to an evaluation that already contains the values of the sources.
    evaluate: @Sendable (AnyChannel, Evaluation) -> Void,

    /// Stores an evaluation's value as the channel's delivered value.
    start: @Sendable (AnyChannel, Evaluation) -> Void
  )

  /// The number of the newest node of a derived constant. Relaxed ordering is enough, because a node is
  /// created after its sources and so receives a higher number.
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

  /// Creates the node of a derived constant. The constant's channel must then call `attach(to:)`.
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

  /// Attaches the node to its channel. If the sources belong to several regions, the node begins a new
  /// region. Sources that belong to one region have the same roots.
  @usableFromInline func attach(to channel: AnyChannel) {
    self.channel = .passUnretained(channel)
    let regions = sources.map { $0.use { $0.channel.regionChannel } }
    regionChannel = .passUnretained(regions[0])
    if regions.contains(where: { $0 !== regions[0] }) { beginRegion() }
    roots = isFirst ? Node.union(of: sources) : sources[0].use { $0.roots }
    if isFirst { for root in roots { root.channel.noteCombined() } }
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

  /// Returns the state of the node's variables, as one number.
  ///
  /// - Parameter version: Returns the version of a variable, as a state.
  func state(_ version: (AnyChannel) -> StateID) -> StateID {
    roots.reduce(.zero) { $0 + $1.weight * version($1.channel) }
  }

  /// Whether the node needs a value when it becomes active. The node needs such a value if it compares
  /// values, or if a change can bring the values of only some sources.
  var needsValues: Bool { mayKeepValues || isFirst || sources.count > 1 }

  /// Whether the node's only source is a variable.
  @inlinable var readsOneVariable: Bool {
    sources.count == 1 && sources[0].use { !$0.channelReference.use { $0.isDerived } }
  }

  /// Flags an observation as ahead if the value that its observer reads now might never be delivered.
  /// Such a value is not delivered if the other observers already have a value that counts as equal. The
  /// caller must hold the locks of the roots and of the region.
  func noteIfAhead(_ observer: Dust, in region: AnyChannel) {
    guard mayKeepValues else { return }
    let mayHaveMissed = hasOpenRoots || sources[0].use { $0.since < region.version }
    guard isFresh ? mayHaveMissed : deliveredState != currentState else { return }
    observer.isAhead = true
    hasObserversAhead = true
  }

  // MARK: One change; see `Region`

  /// Prepares the node for a change, and records the observers to call. The caller must hold the
  /// region's lock.
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

  /// Computes the node's value if the change has reached the node.
  func compute(_ isReached: Bool) {
    isChanged = isReached && channel.use { operations.compute($0, self) }
    if !isChanged {
      region.use { region in
        region.channel.use { $0.lock.withLock { deliveredState = region.state } }
      }
    }
  }

  /// Calls the observers if the value is new, or if some observers are owed a call.
  func callObservers(on thread: CurrentThread) {
    guard isChanged || owesCalls, observers.first != nil else { return }
    channel.use { operations.callObservers($0, self, thread) }
  }

  /// Records that the channel has a new value to deliver. The caller must hold the region's lock.
  @inlinable func didCompute(at state: StateID, for version: Version) {
    deliveredState = state
    edition = state
    // If other threads have deactivated and reactivated the node during the change, the node stays
    // fresh.
    if isFirst || sources[0].use({ $0.since < version }) { isFresh = false }
  }

  override func forEachDependent(_ body: (AnyChannel) -> Void) {
    dependents.forEach { $0.target.use { $0.channel.use(body) } }
  }
}

extension AnyChannel {
  /// The channel's node, if the channel has one. For a variable, the caller must hold the variable's
  /// lock.
  final var node: Node? {
    // Only `ensureNode` and derived channels set `downstream`, so `downstream` is always a `Node`.
    downstream.map { unsafeDowncast($0, to: Node.self) }
  }

  /// Traps, because a formula or an evaluation needs the channel's value before the value is computed.
  @usableFromInline final func trapUncomputed<Value>() -> Value {
    trap("\(self) was read before it was computed.")
  }

  /// The channel's node, or `nil` if the channel isn't derived.
  final var derivedNode: Node? { isDerived ? node : nil }

  /// Returns the channel's node, which is created if the channel has none. The caller must hold the
  /// channel's lock.
  final func ensureNode() -> Node {
    if let node { return node }
    let node = Node(ofVariable: self)
    ensureAnyAttachments().downstream = node
    return node
  }
}

extension AnySource {
  /// The variables that determine the source's value.
  final var roots: [Node.Root] {
    channel.derivedNode?.roots ?? [Node.Root(reference: channelReference, weight: .one)]
  }
}
