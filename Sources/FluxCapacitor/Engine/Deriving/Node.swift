import Synchronization

/// The node of a channel in the graph of derived constants.
///
/// - An inactive node has no observers. Its channel computes a value when a thread reads the channel. The
///   first observer makes the node active.
/// - An active node is linked to its sources, and computes each change once. The node becomes inactive when
///   its last observer has left.
///
/// The observers of an active node share one history. A change sets the delivered value and determines the observers to
/// call in one step, under the region's lock. A new observer starts with the current value. If an open transaction has
/// changed a combination or a constant that skips values, the observer starts with the delivered value instead, or with that
/// of the node's snapshot if no value has been delivered yet.
///
/// The variables that the node derives from are its *roots*. A thread that activates or deactivates the
/// node holds the locks of all roots, so no transaction can commit at the same time.
@usableFromInline final class Node: OrderedListElement, @unchecked Sendable {
  /// The channel that owns this node.
  @exclusivity(unchecked) @usableFromInline private(set) var channel: Unmanaged<AnyChannel>!

  /// The first channel of the region. If the region begins with a different channel than the node's own,
  /// the node's edges keep that channel alive.
  @exclusivity(unchecked) @usableFromInline private(set) var regionChannel: Unmanaged<AnyChannel>!

  /// The region that the node belongs to. The reference is set when the node begins the region or is
  /// first linked. The extras of the first channel own the region.
  @exclusivity(unchecked) @usableFromInline var region: Unmanaged<Region>!

  /// The edges from the node's sources; the node of a variable has none. The formula of the
  /// channel owns the edges, so these references are unretained.
  @usableFromInline let edges: [Unmanaged<Edge>]

  /// The edges as inputs, if there are several.
  let inputs: [Unmanaged<AnyInput>]

  /// The variables that the node derives from.
  private(set) var roots: [Root]

  /// Performs an operation in code that knows the type of the channel's values; see `Place.Deliver`. The value is `nil` for
  /// the node of a variable.
  let perform: (@Sendable (AnyChannel, Node, Operation) -> Void)!

  /// Whether the node begins its region.
  @exclusivity(unchecked) @usableFromInline private(set) var beginsRegion = false

  /// Whether this constant or a constant upstream keeps its old value if the next value is equal.
  let mayKeepValues: Bool

  /// Whether each change of the region gives the node a new value.
  private var changesAlways = false

  /// Whether the node needs a value when it becomes active. The node needs such a value if this constant or
  /// a constant upstream compares values, or if a change can bring the values of only some sources.
  @usableFromInline let needsValue: Bool

  /// Whether the node is linked to its sources. The locks of the roots and of the region guard this flag.
  @exclusivity(unchecked) @usableFromInline var isActive = false

  // Only the region's deliverer uses the properties below, which describe the change in progress.

  /// Whether the node was linked before the change.
  @exclusivity(unchecked) @usableFromInline var takesPart = false

  /// Whether the change gives the node a new value.
  @exclusivity(unchecked) @usableFromInline var isChanged = false

  /// Whether the node takes part in a change for the first time since it has awaited transactions. It has missed earlier
  /// changes, so it's computed whichever of its sources have changed. A thread with the region's lock sets this property
  /// before the node takes part.
  @exclusivity(unchecked) var isJoining = false

  // The region's lock guards the properties below. A thread that activates the node sets `snapshot` under the locks of the
  // roots.

  /// The number of active constants that derive directly from the channel, and of those in the channel's region.
  @exclusivity(unchecked) @usableFromInline var dependentCount: Int32 = 0
  @exclusivity(unchecked) @usableFromInline var localDependentCount: Int32 = 0

  /// The node's position in the region's list.
  var position: Int32 = 0

  /// The values of the roots when the node became active, until the node has a delivered value. The property is `nil`
  /// if the node needed no value.
  @exclusivity(unchecked) @usableFromInline var snapshot: Evaluation.Snapshot?

  /// The version after which the node takes part in the region's changes.
  @exclusivity(unchecked) @usableFromInline var since = Version.never

  /// Roots that open transactions had written when the node became active, until these transactions commit. The node's
  /// first value contains the writes, and the history of an active node upstream doesn't. So the node takes part in no
  /// change before the last of these commits.
  var awaited: [AnyChannel] = []

  /// The fingerprint of the last delivered change.
  @exclusivity(unchecked) @usableFromInline var deliveredFingerprint = Fingerprint(value: .max)

  /// A variable that the node derives from, and the coefficient of its version in the node's fingerprint.
  struct Root {
    /// The variable's channel, which the node's edges keep alive.
    let reference: Unmanaged<AnyChannel>

    var coefficient: Fingerprint

    var channel: AnyChannel { reference.takeUnretainedValue() }
  }

  @usableFromInline enum Operation {
    /// Computes the channel's value, and sets `isChanged`.
    case compute

    /// Calls observers with the computed value.
    case deliver(AnyChannel.Stretch, CurrentThread)

    /// Adds the channel's value to an evaluation if the value is known.
    case recall(Evaluation)

    /// Adds the channel's value to an evaluation that already contains the values of the sources.
    case evaluate(Evaluation)

    /// Makes an evaluation's value the channel's first delivered value.
    case start(Evaluation)

    /// Forgets the delivered value. The caller releases what the array receives after unlocking.
    case stop(UnsafeMutablePointer<[Any]>)
  }

  /// The number of the newest region that begins with a constant. Relaxed ordering is enough, because a region is
  /// created after those of its sources and so receives a higher number.
  private static let lastNumber = Atomic<UInt64>(0)

  /// Creates the node of a variable.
  init(ofVariable channel: AnyChannel) {
    self.channel = .passUnretained(channel)
    (edges, inputs) = ([], [])
    roots = [Root(reference: .passUnretained(channel), coefficient: .one)]
    (mayKeepValues, needsValue) = (false, false)
    perform = nil
    beginRegion()
  }

  /// Creates the node of a derived constant. The constant's channel must then call `attach(to:)`.
  @usableFromInline init(
    from edges: [Edge],
    keepsValues: Bool,
    perform: @escaping @Sendable (AnyChannel, Node, Operation) -> Void
  ) {
    self.edges = edges.map { .passUnretained($0) }
    // Only `combine` has several sources, and its edges are inputs.
    inputs = edges.count == 1 ? [] : self.edges.map { .fromOpaque($0.toOpaque()) }
    self.perform = perform
    mayKeepValues =
      keepsValues || edges.contains { $0.source.derivedNode?.mayKeepValues ?? false }
    needsValue = mayKeepValues || edges.count > 1
    roots = []
    for edge in edges { edge.target = .passUnretained(self) }
  }

  /// Attaches the node to its channel. If the sources belong to several regions, the node begins a new
  /// region. Sources that belong to one region have the same roots.
  @usableFromInline func attach(to channel: AnyChannel) {
    self.channel = .passUnretained(channel)
    let regions = edges.map { $0.use { $0.source.regionChannel } }
    regionChannel = .passUnretained(regions[0])
    if regions.contains(where: { $0 !== regions[0] }) {
      beginRegion()
      let number = Node.lastNumber.add(1, ordering: .relaxed).newValue
      for (index, input) in inputs.enumerated() {
        input.use { ($0.coefficient, $0.order) = (.random(), (number, index)) }
      }
    }
    changesAlways = !beginsRegion && !mayKeepValues && !regions[0].isDerived
    roots = beginsRegion ? Node.union(of: inputs) : edges[0].use { $0.roots }
  }

  private func beginRegion() {
    regionChannel = channel
    let region = Region(of: self, in: channel.takeUnretainedValue())
    self.region = .passRetained(region)
    channel.use { $0.ensureAnyExtras().region = self.region }
    beginsRegion = true
  }

  private static func union(of inputs: [Unmanaged<AnyInput>]) -> [Root] {
    var roots: [Root] = []
    var indices: [ObjectIdentifier: Int] = [:]
    for input in inputs.map({ $0.takeUnretainedValue() }) {
      for root in input.roots {
        let index = indices[ObjectIdentifier(root.channel)] ?? roots.count
        if index == roots.count {
          roots.append(Root(reference: root.reference, coefficient: .zero))
        }
        indices[ObjectIdentifier(root.channel)] = index
        roots[index].coefficient = roots[index].coefficient + input.coefficient * root.coefficient
      }
    }
    return roots
  }

  /// Returns the fingerprint of the versions of the node's variables.
  ///
  /// - Parameter version: Returns the version of one variable, as a fingerprint.
  func fingerprint(_ version: (AnyChannel) -> Fingerprint) -> Fingerprint {
    roots.reduce(.zero) { $0 + $1.coefficient * $1.reference.use(version) }
  }

  /// Whether the node's only source is a variable.
  @inlinable var readsOneVariable: Bool {
    edges.count == 1 && edges[0].use { !$0.sourceReference.use { $0.isDerived } }
  }

  // MARK: One change; see `Region`

  /// Computes the node's value if the change has reached the node.
  func compute() {
    isChanged = false
    guard takesPart else { return }
    if snapshot != nil, needsValue || isJoining { startFromSnapshot() }
    let isReached =
      if isJoining {
        region.use { $0.fingerprint != deliveredFingerprint }
      } else if beginsRegion {
        inputs.contains { $0.use { $0.isChanged } }
      } else {
        changesAlways || edges.contains { $0.use { $0.sourceNode.use { $0.isChanged } } }
      }
    if isReached { channel.use { perform($0, self, .compute) } }
    if !isChanged {
      if snapshot != nil { startFromSnapshot() }
      let sum = region.use { $0.fingerprint }
      regionChannel.use { $0.lock.withLock { deliveredFingerprint = sum } }
    }
    isJoining = false
  }

  /// Computes the value that the node had when it became active, because the thread that activated it hasn't done so yet.
  @inline(never) private func startFromSnapshot() {
    guard let snapshot else { return }
    let known = region.use { $0.evaluation }
    let evaluation = known?.snapshot === snapshot ? known : Evaluation(from: snapshot)
    region.use { $0.evaluation = evaluation }
    if let evaluation { channel.use { perform($0, self, .start(evaluation)) } }
  }

  /// Whether an evaluation's value may become the first delivered value. Another thread that delivers a change to the
  /// node reads its state without the lock, and starts the node itself. The caller must hold the region's lock.
  @usableFromInline func canStart(from evaluation: Evaluation) -> Bool {
    let isInUse = takesPart && regionChannel.use { !$0.deliverer.admits(currentThread()) }
    return snapshot === evaluation.snapshot && !isInUse
  }

  /// Forgets the snapshot, because the channel has a delivered value. The caller must hold the region's lock.
  @usableFromInline func forgetSnapshot() {
    // The values are released after unlocking, because a `deinit` can run user code. If no thread is
    // delivering, the caller has another reference.
    if let snapshot = snapshot.take() { region.use { $0.releaseLater(snapshot) } }
  }
}

extension AnyChannel {
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
    ensureAnyExtras().node = .passRetained(node)
    return node
  }
}
