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
  @exclusivity(unchecked) private var pending = FIFO<PendingChange>()

  /// The open transactions that had written roots when the region came into use. The values that it
  /// started with are ahead of those that are delivered. Until these transactions have been committed,
  /// all changes are therefore one.
  @exclusivity(unchecked) private var holders: [(transaction: Transaction, commits: Int)] = []

  /// Whether the thread that has activated the first node has yet to give its inputs their values.
  @exclusivity(unchecked) private var isStarting = false

  /// What has left the region while a change was delivered.
  @exclusivity(unchecked) var leavers: [AnyObject] = []

  /// A change that was announced, and how many inputs are still to bring a value for it.
  private typealias PendingChange = (version: Version, awaited: Int32)

  init(of first: Node, in channel: AnyChannel) {
    self.first = .passUnretained(first)
    self.channel = .passUnretained(channel)
  }

  // MARK: One change

  /// Lists what a change reaches. The lock must be held.
  func prepare(for version: Version) {
    list(for: version)
    forEachNode { $0.prepare(for: version) }
  }

  /// Lists the nodes, each after its sources, and the inputs.
  ///
  /// A change reaches all sources of a node in the region. So the node comes as soon as the last of
  /// its sources has come.
  private func list(for version: Version) {
    self.version = version
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

  private func computeNodes(on thread: CurrentThread) {
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

  // MARK: Pending changes, of a region that begins with a constant

  /// Announces a change. Takes the lock, which `endAnnouncing` releases.
  func announce() {
    channel.use { channel in
      channel.lock.lock()
      channel.version = channel.version.next
      if isHeld, !pending.isEmpty {
        pending[0].version = channel.version
      } else {
        pending.append((channel.version, 0))
      }
    }
  }

  /// Notes that an input has a value for the change that was announced last, or will bring one. The lock
  /// must be held.
  ///
  /// - Returns: The version of the change.
  func expect(isBrought: Bool) -> Version {
    let last = pending.count - 1
    if !isBrought { pending[last].awaited += 1 }
    return pending[last].version
  }

  func endAnnouncing(on thread: CurrentThread) {
    // Otherwise, a place for the first one has been taken, or will be.
    if pending.count == 1 { takePlaceIfReady(on: thread) }
    channel.use { $0.lock.unlock() }
  }

  /// Notes that an input has brought its value for a change. The lock must be held.
  @usableFromInline func didArrive(_ version: Version, on thread: CurrentThread) {
    // The versions of pending changes have no gaps, but before the first, which may be of several.
    let first = pending[0].version
    let index = version < first ? 0 : Int32(truncatingIfNeeded: version.count &- first.count)
    pending[index].awaited -= 1
    if index == 0 { takePlaceIfReady(on: thread) }
  }

  /// Takes a place in the thread's round if the first change is complete, unless another thread is
  /// delivering and will do that. The lock must be held.
  private func takePlaceIfReady(on thread: CurrentThread) {
    channel.use { channel in
      guard isReady, channel.deliverer.isOpen(to: thread) else { return }
      if channel.deliverer.isOffered { channel.deliverer.assign(to: thread) }
      let place = PendingDelivery(to: channel) { channel, _, thread in
        // The delivery's target is a derived channel, which is the first of a region.
        unsafeDowncast(channel, to: AnyChannel.self).derivedNode?.region.use {
          $0.deliverNext(on: thread)
        }
      }
      thread.append(place, isOwn: false)
    }
  }

  /// Whether the first pending change is complete. The lock must be held.
  private var isReady: Bool { !pending.isEmpty && pending[0].awaited == 0 && !isStarting && !isHeld }

  /// Makes all changes one until an open transaction has been committed. The lock must be held.
  func hold(for transaction: Transaction) {
    holders.append((transaction, transaction.commits.read { $0.load(ordering: .acquiring) }))
  }

  private var isHeld: Bool {
    if holders.isEmpty { return false }
    holders.removeAll { transaction, commits in
      transaction.commits.read { $0.load(ordering: .acquiring) } != commits
    }
    return !holders.isEmpty
  }

  /// Computes and delivers the first pending change, if it is complete and no other thread is delivering.
  func deliverNext(on thread: CurrentThread) {
    guard channel.use({ $0.lock.withLock { takeNext(on: thread) } }) else { return }
    first.use { first in
      state = .zero
      var isReached = first.isFirstChange
      for source in first.sources {
        source.use { source in
          if source.isChanged {
            source.use(source)
            isReached = true
          }
          state = state + source.weight * source.state
        }
      }
      first.compute(isReached)
      for source in first.sources { source.use { $0.isChanged = false } }
      computeNodes(on: thread)
      first.callObservers(on: thread)
    }
    callObservers(on: thread)
    endDelivering(on: thread)
  }

  /// Takes out the first pending change, with what the inputs have brought for it. The lock must be held.
  ///
  /// - Returns: Whether there is one for this thread to deliver.
  private func takeNext(on thread: CurrentThread) -> Bool {
    channel.use { channel in
      if thread.isDueForHandover, channel.tryToHandOver(on: thread) { return false }
      guard channel.deliverer.isOpen(to: thread), isReady, let change = pending.popFirst() else {
        return false
      }
      channel.deliverer.assign(to: thread)
      first.use { first in
        for source in first.sources { source.use { $0.takeValues(for: change.version) } }
        first.prepare(for: change.version)
      }
      prepare(for: change.version)
      return true
    }
  }

  /// Makes a thread the deliverer until it calls `endStarting`. The lock must be held.
  func beginStarting(on thread: CurrentThread) {
    channel.use { $0.deliverer.assign(to: thread) }
    isStarting = true
  }

  func endStarting(on thread: CurrentThread) {
    channel.use { $0.lock.withLock { isStarting = false } }
    endDelivering(on: thread)
  }

  private func endDelivering(on thread: CurrentThread) {
    let leavers = channel.use { channel in
      channel.lock.withLock {
        let hasCleaned = channel.deliverer.hasCleaned
        channel.deliverer = Deliverer()
        if isReady {
          thread.pointee.changesOfOthers &+= 1
          takePlaceIfReady(on: thread)
        }
        return hasCleaned || !channel.isObserved ? channel.removeLeavers() : nil
      }
    }
    leavers?.release()
  }

  /// Forgets the changes that are on their way. The lock must be held.
  ///
  /// - Returns: What to release after unlocking.
  func discardPending() -> [Any] {
    pending = FIFO()
    return first.use { $0.sources.map { $0.use { $0.discardValues() } } }
  }
}
