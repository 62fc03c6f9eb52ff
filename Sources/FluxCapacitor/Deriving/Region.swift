/// A part of the graph of derived constants that one thread at a time delivers: a channel, and the
/// constants that derive from it alone, directly or through each other.
///
/// Its first channel is a variable, or a constant whose sources are in several regions. Which region
/// a constant belongs to never changes, because its sources don't. The lock, the version and the
/// deliverer of the first channel are those of the region.
///
/// A change of the region is delivered in four steps, by `deliver` in `Channel` for a variable, and by
/// `deliverNext` for a constant:
/// 1. Under the lock, list what the change reaches: the nodes, each after its sources, and the inputs
///    of other regions.
/// 2. Compute the nodes.
/// 3. Bring the values to the inputs of other regions.
/// 4. Call the observers, in the same order.
///
/// To a region that begins with a constant, each change is announced first, when it is committed, and
/// becomes a `PendingChange`. It is delivered when it is the first and all inputs that change with it
/// have brought their values.
///
/// Unretained references are sound because a region that is being delivered keeps what has left it
/// until the end; see `leavers`.
@usableFromInline final class Region: @unchecked Sendable {
  @usableFromInline let channel: Unmanaged<AnyChannel>
  let first: Unmanaged<Node>

  // The change in progress. All of this belongs to the deliverer.

  /// The version of the change, and the state of the roots that it leads to.
  @exclusivity(unchecked) @usableFromInline var version = Version()

  /// The version of the change before. Changes of a held region in between are part of this one.
  @exclusivity(unchecked) @usableFromInline var previous = Version()

  @exclusivity(unchecked) @usableFromInline var state = StateID.zero

  /// The address of a variable's value, while what derives from it is computed.
  @exclusivity(unchecked) @usableFromInline var value: UnsafeRawPointer?

  /// The nodes that the change reaches, behind the first.
  @exclusivity(unchecked) private var nodes: (first: Unmanaged<Node>?, last: Unmanaged<Node>?)

  /// The inputs of other regions that the change reaches.
  @exclusivity(unchecked)
  private var inputs: (first: Unmanaged<AnySource>?, last: Unmanaged<AnySource>?)

  // Guarded by the lock.

  /// The changes that are on their way to the region, in order.
  @exclusivity(unchecked) var pending = FIFO<PendingChange>()

  /// The open transactions that had written roots when the region came into use. The values that it
  /// started with are ahead of those that are delivered. Until these transactions have been committed,
  /// all changes are therefore one.
  @exclusivity(unchecked) var holders: [(transaction: Transaction, commits: Int)] = []

  /// Whether the thread that has activated the first node has yet to give its inputs their values.
  @exclusivity(unchecked) var isStarting = false

  /// What has left the region while a change was delivered.
  @exclusivity(unchecked) var leavers: [AnyObject] = []

  /// A change that was announced, and how many inputs are still to bring a value for it.
  typealias PendingChange = (version: Version, awaited: Int32)

  init(of first: Node, in channel: AnyChannel) {
    self.first = .passUnretained(first)
    self.channel = .passUnretained(channel)
  }

  // MARK: One change

  /// Lists what a change reaches. The lock must be held.
  func prepare(for version: Version) {
    self.version = version
    list(for: version)
    forEachNode { $0.prepare(for: version) }
  }

  /// Lists the nodes, each after its sources, and the inputs.
  ///
  /// A change reaches all sources of a node in the region. So the node comes as soon as the last of
  /// its sources has come.
  private func list(for version: Version) {
    (nodes, inputs) = ((nil, nil), (nil, nil))
    var link: Unmanaged<Node>? = first
    while let node = link {
      node.use { $0.dependents.forEach { if $0.since < version { add($0) } } }
      link = node.toOpaque() == first.toOpaque() ? nodes.first : node.use { $0.next }
    }
  }

  @inline(__always) private func add(_ source: AnySource) {
    source.target.use { target in
      guard !target.isFirst else {
        // That of a variable has been brought when the change was announced.
        return source.channelReference.use { $0.isDerived } ? add(input: source) : ()
      }
      target.sourcesReached += 1
      guard target.sourcesReached == target.sources.count else { return }
      target.sourcesReached = 0
      target.next = nil
      let link = Unmanaged.passUnretained(target)
      if let last = nodes.last { last.use { $0.next = link } } else { nodes.first = link }
      nodes.last = link
    }
  }

  private func add(input: AnySource) {
    input.nextInput = nil
    let link = Unmanaged.passUnretained(input)
    if let last = inputs.last { last.use { $0.nextInput = link } } else { inputs.first = link }
    inputs.last = link
  }

  /// Calls a closure with each listed node.
  @inline(__always) func forEachNode(_ body: (Node) -> Void) {
    var link = nodes.first
    while let node = link {
      node.use {
        body($0)
        link = $0.next
      }
    }
  }

  /// Computes what derives from a value of the first channel, if that is a variable.
  func compute(from value: UnsafeRawPointer, on thread: CurrentThread) {
    if nodes.first == nil, inputs.first == nil { return }
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
    var link = inputs.first
    while let input = link {
      input.use {
        $0.bring($0, thread)
        link = $0.nextInput
      }
    }
  }

  func callObservers(on thread: CurrentThread) {
    forEachNode { $0.callObservers(on: thread) }
  }

  /// Calls a closure with each active node but the first. The lock must be held, with no thread delivering.
  func forEachActiveNode(_ body: (Node) -> Void) {
    list(for: Version(.max))
    forEachNode(body)
  }
}
