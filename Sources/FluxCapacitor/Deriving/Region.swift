/// A part of the graph of derived constants that one thread at a time delivers. A region consists of a
/// channel and the constants that derive from that channel alone, directly or through other constants.
///
/// A region begins with a variable, or with a constant whose sources are in several regions. A constant
/// always stays in its region, because its sources never change. The region uses the lock, the version
/// and the deliverer of its first channel.
///
/// A region delivers a change in four steps. `Channel.deliver` performs the steps if the region begins
/// with a variable, and `deliverNext` if the region begins with a constant.
/// 1. Under the lock, list the nodes that the change reaches, each after its sources, and the inputs of
///    other regions.
/// 2. Compute the listed nodes.
/// 3. Bring the computed values to the inputs of other regions.
/// 4. Call the observers of the listed nodes, in the order of the list.
///
/// If a region begins with a constant, each commit to its variables is announced to the region, and
/// becomes a `PendingChange`. The first pending change is delivered when every awaited input has brought
/// its value.
///
/// While a region is being delivered, `detached` retains each channel that leaves the region. This
/// retention makes the deliverer's unretained references safe.
@usableFromInline final class Region: DerivedRegion, @unchecked Sendable {
  @usableFromInline let channel: Unmanaged<AnyChannel>
  let first: Unmanaged<Node>

  // Only the deliverer uses the properties below, which describe the change in progress.

  /// The version of the change in progress. The property `state` identifies the values of the region's
  /// variables after this change.
  @exclusivity(unchecked) @usableFromInline var version = Version()

  /// The version of the previous change. If an open transaction held the region, the change in progress
  /// includes all changes since the previous change.
  @exclusivity(unchecked) @usableFromInline var previous = Version()

  @exclusivity(unchecked) @usableFromInline var state = StateID.zero

  /// The address of the first variable's value, while the constants that derive from the variable are
  /// computed.
  @exclusivity(unchecked) @usableFromInline var value: UnsafeRawPointer?

  /// The nodes that the change reaches, without the region's first node. Each node comes after its
  /// sources.
  @exclusivity(unchecked) private var nodes = FIFO<Unmanaged<Node>>()

  /// The inputs through which the change reaches other regions.
  @exclusivity(unchecked) private var inputs = FIFO<Unmanaged<AnySource>>()

  // The region's lock guards the properties below.

  /// Whether `nodes` and `inputs` are also valid for the next change. Linking or unlinking a source
  /// makes the two lists outdated. The lists are incomplete if they leave out a source that was linked
  /// after the listed change.
  @exclusivity(unchecked) var isListed = false

  /// The announced changes that no thread has begun to deliver, in order.
  @exclusivity(unchecked) var pending = FIFO<PendingChange>()

  /// The open transactions that had already written roots when the region became active. The region's
  /// first values include these uncommitted writes. Until these transactions have been committed, the
  /// region combines all changes into one.
  @exclusivity(unchecked) var holders: [(transaction: Transaction, commits: Int)] = []

  /// The channels that left the region during a delivery, retained until the delivery ends.
  @exclusivity(unchecked) var detached: [AnyObject] = []

  /// An announced change, and the number of inputs from which the change still awaits a value.
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

  /// Lists the nodes that a change reaches, each after its sources, and the inputs of other regions.
  ///
  /// Within a region, every change reaches all sources of each node. This method therefore lists a node
  /// when it reaches the node's last source.
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
          // An input that reads a variable already received the value when the change was announced.
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
