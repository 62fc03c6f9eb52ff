/// A part of the graph of derived constants, which a single thread at a time delivers. It consists
/// of a channel and the constants that derive from it alone, directly or through each other.
///
/// Its first channel is a variable, or a constant whose sources are in several regions. A constant
/// always stays in its region, because its sources never change. The region uses the lock, the
/// version and the deliverer of its first channel.
///
/// A change of the region is delivered in four steps, by `deliver` in `Channel` for a variable, and
/// by `deliverNext` for a constant:
/// 1. Under the lock, list the nodes that the change reaches, each after its sources, and the
///    inputs of other regions.
/// 2. Compute the nodes.
/// 3. Bring the values to the inputs of other regions.
/// 4. Call the observers, in the same order.
///
/// If a region begins with a constant, each change is announced to it when the change is committed,
/// and becomes a `PendingChange`. The change is delivered when it is the first, and all inputs that
/// change with it have brought their values.
///
/// Unretained references are sound because a region that is being delivered keeps the channels that
/// leave it until the delivery ends; see `detached`.
@usableFromInline final class Region: DerivedRegion, @unchecked Sendable {
  @usableFromInline let channel: Unmanaged<AnyChannel>
  let first: Unmanaged<Node>

  // The change in progress. All of this belongs to the deliverer.

  /// The version of the change. `state` is the state of the roots that this change leads to.
  @exclusivity(unchecked) @usableFromInline var version = Version()

  /// The version of the previous change. If the region was held, this change includes the changes in between.
  @exclusivity(unchecked) @usableFromInline var previous = Version()

  @exclusivity(unchecked) @usableFromInline var state = StateID.zero

  /// The address of a variable's value, while the constants that derive from it are computed.
  @exclusivity(unchecked) @usableFromInline var value: UnsafeRawPointer?

  /// The nodes that the change reaches, after the first node, each after its sources.
  @exclusivity(unchecked) private var nodes = FIFO<Unmanaged<Node>>()

  /// The inputs of other regions that the change reaches.
  @exclusivity(unchecked) private var inputs = FIFO<Unmanaged<AnySource>>()

  // Guarded by the lock.

  /// Whether the lists also hold for the next change. They don't if a source has been linked or
  /// unlinked since, or was left out because it was linked after the change.
  @exclusivity(unchecked) var isListed = false

  /// The changes that are on their way to the region, in order.
  @exclusivity(unchecked) var pending = FIFO<PendingChange>()

  /// The open transactions that had written roots when the region came into use. The region's first
  /// values are ahead of the delivered values. So until these transactions have been committed, all
  /// changes are one.
  @exclusivity(unchecked) var holders: [(transaction: Transaction, commits: Int)] = []

  /// The channels that were detached from the region during a delivery.
  @exclusivity(unchecked) var detached: [AnyObject] = []

  /// An announced change, and the number of inputs that have yet to bring a value for it.
  typealias PendingChange = (version: Version, awaited: Int32)

  init(of first: Node, in channel: AnyChannel) {
    self.first = .passUnretained(first)
    self.channel = .passUnretained(channel)
    super.init()
  }

  // MARK: One change

  override func prepare(for version: Version) {
    (previous, self.version) = (self.version, version)
    if !isListed { list(for: version) }
    forEachNode { $0.prepare(for: version) }
  }

  /// Lists the nodes, each after its sources, and the inputs.
  ///
  /// A change reaches all sources of a node in the region. So a node is listed when its last source
  /// has been listed.
  private func list(for version: Version) {
    isListed = true
    nodes.removeAll()
    inputs.removeAll()
    first.use { listDependents(of: $0, for: version) }
    var index: Int32 = 0
    while index < nodes.count {
      nodes[index].use { listDependents(of: $0, for: version) }
      index += 1
    }
  }

  @inline(__always) private func listDependents(of node: Node, for version: Version) {
    node.dependents.forEach { source in
      guard source.since < version else { return isListed = false }
      source.target.use { target in
        if target.isFirst {
          // An input that reads a variable received its value when the change was announced.
          if source.channelReference.use({ $0.isDerived }) {
            inputs.append(.passUnretained(source))
          }
          return
        }
        target.sourcesReached += 1
        guard target.sourcesReached == target.sources.count else { return }
        target.sourcesReached = 0
        nodes.append(source.target)
      }
    }
  }

  /// Calls a closure with each listed node.
  @inline(__always) func forEachNode(_ body: (Node) -> Void) {
    for index in 0..<nodes.count { nodes[index].use(body) }
  }

  override func compute(from value: UnsafeRawPointer, on thread: CurrentThread) {
    if nodes.isEmpty, inputs.isEmpty { return }
    self.value = value
    state = StateID(version)
    first.use { $0.isChanged = true }
    computeNodes(on: thread)
    self.value = nil
  }

  func computeNodes(on thread: CurrentThread) {
    forEachNode { node in
      var isReached = node.isFirstChange
      for source in node.sources where source.use({ $0.node.use { $0.isChanged } }) {
        isReached = true
      }
      node.compute(isReached)
    }
    for index in 0..<inputs.count { inputs[index].use { $0.operations.bring($0, thread) } }
  }

  override func callObservers(on thread: CurrentThread) {
    forEachNode { $0.callObservers(on: thread) }
  }

  // MARK: Cleaning

  override func forEachChannel(_ body: (AnyChannel) -> Void) {
    list(for: Version(.max))
    forEachNode { $0.channel.use(body) }
    isListed = false
  }

  override func takeDetached() -> [AnyObject] {
    defer { detached = [] }
    return detached
  }
}
