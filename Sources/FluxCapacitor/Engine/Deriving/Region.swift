/// A part of the graph of derived constants that one thread at a time delivers. A region consists of a
/// channel and the constants that derive from that channel alone, directly or through other constants.
///
/// A region begins with a variable, or with a constant whose sources are in several regions. A constant always stays in
/// its region. The region uses the lock, the version and the deliverer of its first channel.
///
/// For each change, the deliverer computes the nodes, brings their values to the inputs of other regions, and then calls
/// the observers. `Channel.deliver` does this if the region begins with a variable, and `deliverPending` otherwise.
///
/// If a region begins with a constant, its *inputs* are the edges from the constant's sources. Each commit to
/// one of the constant's variables is announced to the region, and becomes a pending change. The change
/// awaits the values of the inputs that the commit reaches. The first pending change is delivered when none
/// of its values is missing.
@usableFromInline final class Region: @unchecked Sendable {
  @usableFromInline let channel: Unmanaged<AnyChannel>

  /// The node of the region's first channel.
  let firstNode: Unmanaged<Node>

  // Only the deliverer uses the properties below, which describe the change in progress.

  /// The version and the fingerprint of the change in progress.
  @exclusivity(unchecked) @usableFromInline var version = Version.beginning
  @exclusivity(unchecked) @usableFromInline var fingerprint = Fingerprint.zero

  /// The address of the value of the region's variable, while the constants that derive from the variable are
  /// computed.
  @exclusivity(unchecked) @usableFromInline var value: UnsafeRawPointer?

  /// The evaluation in which the deliverer computes first values that no other thread has computed yet.
  @exclusivity(unchecked) var evaluation: Evaluation?

  /// Copies of `nodes` and `outgoing` from the beginning of the delivery. Other threads can change the originals
  /// meanwhile. Walking a `FIFO` counts no references.
  @exclusivity(unchecked) private var nodesInProgress = FIFO<Unmanaged<Node>>()
  @exclusivity(unchecked) private var outgoingInProgress = FIFO<Unmanaged<AnyInput>>()

  /// The constants that the change has given a new value, with the observers that receive it.
  @exclusivity(unchecked) @usableFromInline
  var observed = FIFO<(node: Unmanaged<Node>, observers: AnyChannel.Stretch)>()

  // The region's lock guards the properties below.

  /// The active nodes of constants, in the order of their activation. So each node comes after its sources.
  private var nodes = OrderedList<Node>() { didSet { areCopiesValid = false } }

  /// The edges that lead from constants of this region to constants that begin other regions.
  private var outgoing = OrderedList<AnyInput>() { didSet { areCopiesValid = false } }

  /// The active nodes that await the end of open transactions, by their identities; see `Node.awaited`.
  var joining: [ObjectIdentifier: Node] = [:]

  /// Whether the copies are equal to `nodes` and `outgoing`.
  @exclusivity(unchecked) private var areCopiesValid = false

  /// Whether all nodes of the copy take part in every change from now on, so that no change has to prepare them.
  @exclusivity(unchecked) private var allTakePart = false

  /// The announced changes that no thread has begun to deliver, in order. A change consists of its version and
  /// the number of missing values. The versions are consecutive numbers.
  ///
  /// As a change in a backlog, each of them has a place in some thread's round, or is forwarded: to the deliverer, or to
  /// the thread that brings the last missing value of the first change.
  @exclusivity(unchecked) private var pending = FIFO<(version: Version, missing: Int32)>()

  /// The objects to release when the delivery in progress has ended. Among them is each channel that leaves
  /// the region then, so that the deliverer's unretained references stay valid.
  private var detached: [AnyObject] = []

  init(of first: Node, in channel: AnyChannel) {
    firstNode = .passUnretained(first)
    self.channel = .passUnretained(channel)
  }

  // MARK: The lists. The caller must hold the region's lock.

  /// Adds a node that has become active, after its sources.
  func add(_ node: Node) { nodes.append(node) }

  func add(_ input: AnyInput) { outgoing.append(input) }

  /// Removes a node that is no longer active.
  func remove(_ node: Node) { nodes.remove(node) }

  func remove(_ input: AnyInput) {
    outgoing.remove(input)
    releaseLater(input.target.use { $0.channel.takeUnretainedValue() })
  }

  /// Keeps an object until the end of the delivery in progress, if any.
  func releaseLater(_ object: AnyObject) {
    channel.use { channel in
      guard channel.deliverer.isDelivering else { return }
      channel.deliverer.hasCleaned = true
      detached.append(object)
    }
  }

  /// Calls a closure with the channel of each active constant.
  func forEachChannel(_ body: (AnyChannel) -> Void) {
    nodes.forEach { $0.channel.use(body) }
  }

  /// Removes and returns the objects that were detached from the region during a delivery.
  func takeDetached() -> [AnyObject] {
    defer { detached = [] }
    return detached
  }

  // MARK: One change

  /// Prepares the region for a change. The caller must hold the region's lock.
  @usableFromInline func prepare(for version: Version) {
    self.version = version
    if !areCopiesValid {
      nodesInProgress.removeAll()
      outgoingInProgress.removeAll()
      nodes.forEach { nodesInProgress.append(.passUnretained($0)) }
      outgoing.forEach { outgoingInProgress.append(.passUnretained($0)) }
      (areCopiesValid, allTakePart) = (true, false)
    }
    if allTakePart { return }
    allTakePart = true
    for index in 0..<nodesInProgress.count {
      nodesInProgress[index].use { node in
        node.takesPart = node.since < version
        if !node.takesPart { allTakePart = false }
      }
    }
  }

  /// Computes the constants that a change of the region's variable affects, and brings their values to other
  /// regions. Only the thread that is delivering the region calls this method.
  @usableFromInline func compute(from value: UnsafeRawPointer, on thread: CurrentThread) {
    self.value = value
    fingerprint = Fingerprint(version)
    firstNode.use { $0.isChanged = true }
    compute(on: thread)
    self.value = nil
  }

  private func compute(on thread: CurrentThread) {
    for index in 0..<nodesInProgress.count { nodesInProgress[index].use { $0.compute() } }
    evaluation = nil
    for index in 0..<outgoingInProgress.count {
      outgoingInProgress[index].use { $0.perform($0, .bring(thread)) }
    }
  }

  /// Calls the observers of the computed constants. Only the thread that is delivering the region calls this
  /// method.
  @usableFromInline func deliverComputed(on thread: CurrentThread) {
    while let (node, observers) = observed.popFirst() {
      node.use { node in
        node.channel.use { node.perform($0, node, .deliver(observers, thread)) }
      }
    }
  }

  /// The closure of a place for the region's pending changes.
  static var deliver: Place.Deliver {
    { channel, version, thread in
      // The closure receives its place's target, which is the first channel of a region.
      let extras = unsafeDowncast(channel, to: AnyChannel.self).extrasWord.extras
      extras?.use { $0.region }?.use { $0.deliverPending(through: version, on: thread) }
    }
  }

  /// Computes and delivers the pending changes up to a version. If another thread is delivering the region, or has to bring
  /// a missing value, that thread delivers the remaining changes.
  private func deliverPending(through version: Version, on thread: CurrentThread) {
    while true {
      if thread.isDueForHandover,
        channel.use({ $0.handOver(through: version, by: Region.deliver, on: thread) })
      {
        return
      }
      guard beginChange(through: version, on: thread) else { return }
      firstNode.use { first in
        fingerprint = .zero
        for input in first.inputs {
          input.use {
            $0.perform($0, .makeCurrent)
            fingerprint = fingerprint + $0.coefficient * $0.fingerprint
          }
        }
      }
      compute(on: thread)
      deliverComputed(on: thread)
      channel.use { $0.endDelivering(isLast: self.version == version, on: thread) }
    }
  }

  /// Makes this thread the deliverer of the first pending change, up to a version, and takes the change's values.
  ///
  /// - Returns: `false` if there is no such change, or if this thread can't deliver it now.
  private func beginChange(through version: Version, on thread: CurrentThread) -> Bool {
    channel.use { channel in
      channel.lock.lock()
      defer { channel.lock.unlock() }
      guard !channel.deliverer.isDelivering, pending.isEmpty || pending[0].missing == 0 else {
        channel.forward(through: version, by: Region.deliver)
        return false
      }
      guard !pending.isEmpty, pending[0].version <= version, let change = pending.popFirst() else {
        // Another thread might have forwarded changes during an offer.
        channel.takeForwardedChanges(on: thread)
        return false
      }
      channel.deliverer = Deliverer(thread)
      firstNode.use { first in
        for input in first.inputs { input.use { $0.perform($0, .take(change.version)) } }
      }
      prepare(for: change.version)
      return true
    }
  }

  // MARK: Pending changes. The caller must hold the region's lock, unless a comment says otherwise.

  /// Announces a commit that reaches an input of the region.
  ///
  /// - Parameter isFirst: Whether the input is the first one that the commit reaches. Then this method takes the region's
  ///   lock, which `InputList.announce` releases, and appends the pending change.
  func announce(to input: AnyInput, isFirst: Bool, on thread: CurrentThread) {
    channel.use { channel in
      if isFirst {
        channel.lock.lock()
        channel.version = channel.version.next
        pending.append((channel.version, 0))
        if !joining.isEmpty { admitJoining(to: channel.version, on: thread) }
      }
      if input.sourceReference.use({ !$0.isDerived }) {
        input.announced.append(channel.version)
        input.perform(input, .bringVariable)
      } else if input.sourceNode.use({
        max(input.since, $0.since) < $0.regionChannel.use { $0.version }
      }) {
        // Otherwise, the source's region brings no value: the source doesn't take part in the change yet, or the input was
        // linked after the write, so that its first value includes the write. The commit has already been announced to
        // the regions upstream, whose constants are older.
        input.announced.append(channel.version)
        pending[pending.count - 1].missing += 1
      }
    }
  }

  /// Records that an input has brought its value for a change.
  @usableFromInline func didArrive(_ version: Version, on thread: CurrentThread) {
    let index = Int32(truncatingIfNeeded: version.count &- pending[0].version.count)
    pending[index].missing -= 1
    // A thread that has reached its place before has forwarded the change.
    guard pending[0].missing == 0 else { return }
    channel.use { if !$0.deliverer.isDelivering { $0.takeForwardedChanges(on: thread) } }
  }

  /// Discards all pending changes, and returns their values, which the caller must release after unlocking.
  func discardPending() -> [Any] {
    pending = FIFO()
    return firstNode.use { $0.inputs.map { $0.use { $0.discardValues() } } }
  }
}
