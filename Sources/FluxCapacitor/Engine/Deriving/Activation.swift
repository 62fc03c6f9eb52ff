// An observer of a derived constant activates the constant's node. Activation links the node and all
// derived nodes upstream to their sources. Activation and deactivation are loops, because recursion
// along a long chain of constants would overflow the stack. A thread that activates or deactivates nodes
// holds the locks of all roots, the variables that the nodes derive from. Each commit is therefore
// announced to all constants in the chain or to none of them.

extension Node {
  /// Locks all variables that the node derives from, so that no other thread can write them.
  @usableFromInline func lockRoots() {
    AnyChannel.lockAll(roots.count) { .passUnretained(roots[$0].channel) }
  }

  @usableFromInline func unlockRoots() { for root in roots { root.channel.lock.unlock() } }

  /// The fingerprint of the variables' current versions. The caller must hold the locks of the variables.
  @usableFromInline var currentFingerprint: Fingerprint { fingerprint { Fingerprint($0.version) } }

  /// Whether an open transaction has written a variable. The caller must hold the locks of the variables.
  var isUncommitted: Bool { roots.contains { $0.reference.use { $0.pendingWrite.isWritten } } }

  /// Links this node and all derived nodes upstream to their sources. The caller must hold the locks of
  /// the roots.
  ///
  /// - Parameter isValueNeeded: Whether the caller needs the node's value.
  /// - Returns: The newly activated nodes that need a value, each after its sources, and the values of the
  ///   roots. The caller has to start these nodes. If one of them begins a region, this thread is the region's
  ///   deliverer until then.
  func activate(
    needingValue isValueNeeded: Bool,
    on thread: CurrentThread
  ) -> (nodes: [Node], snapshot: Evaluation.Snapshot?) {
    var nodes: [Node] = []
    var snapshot: Evaluation.Snapshot?
    lazy var isUncommitted = isUncommitted
    visitSourcesFirst(unless: \.isActive) { node in
      // A region that begins with a constant can be behind the variables. An observer that joins the node later can start
      // with the value of the snapshot.
      let canBeBehind = node.regionChannel.use { $0.isDerived }
      let isToStart = isValueNeeded || node.needsValue || canBeBehind && isUncommitted
      if isUncommitted { node.awaited = node.awaitedRoots(in: snapshot) }
      if isToStart {
        snapshot = snapshot ?? Evaluation.Snapshot(of: self)
        node.snapshot = snapshot
        nodes.append(node)
      } else if canBeBehind {
        // A node that isn't started keeps its snapshot, which must contain no other variables.
        node.snapshot = Evaluation.Snapshot(of: node)
      }
      node.link(on: thread)
    }
    return (nodes, snapshot)
  }

  /// The roots that open transactions have written, and that determine the history of an active node upstream: a combination,
  /// which can be behind its variables, or a constant that skips values.
  ///
  /// - Parameter snapshot: The snapshot of the nodes that become active together with this node.
  private func awaitedRoots(in snapshot: Evaluation.Snapshot?) -> [AnyChannel] {
    var found = Set<ObjectIdentifier>()
    return edges.flatMap { edge -> [AnyChannel] in
      guard let source = edge.use({ $0.source.derivedNode }) else { return [] }
      if let snapshot, source.snapshot === snapshot { return source.awaited }
      guard source.mayKeepValues || source.regionChannel.use({ $0.isDerived }) else { return [] }
      return source.roots.map(\.channel).filter(\.pendingWrite.isWritten)
    }
    .filter { found.insert(ObjectIdentifier($0)).inserted }
  }

  private func link(on thread: CurrentThread) {
    for edge in edges { edge.use(link) }
    channel.use { channel in
      channel.withRegionLocked { first in
        (isActive, isJoining) = (true, false)
        region.use { region in
          region.add(self)
          region.admit(self, from: first.version)
          if beginsRegion { first.deliverer = Deliverer(thread) }
        }
      }
    }
  }

  private func link(to edge: Edge) {
    let input = input(edge)
    edge.source.withRegionLocked { region in
      let node = edge.source.ensureNode()
      // `edge.sourceNode` is set only once, because the region's deliverer can read it without the lock.
      if edge.sourceNode == nil { edge.sourceNode = .passUnretained(node) }
      node.dependentCount += 1
      if let input {
        channel.use { $0.lock.withLock { input.since = region.version } }
        if edge.source.isDerived { node.region.use { $0.add(input) } }
      } else {
        node.localDependentCount += 1
        if self.region == nil { self.region = node.region }
      }
    }
    guard let input else { return }
    for root in edge.roots { root.channel.extrasWord.extras?.use { $0.inputs.insert(input) } }
  }

  /// An edge of this node as an input, or `nil` if the node doesn't begin a region.
  private func input(_ edge: Edge) -> AnyInput? {
    beginsRegion ? unsafeDowncast(edge, to: AnyInput.self) : nil
  }

  /// Makes an activated node ready to deliver changes, starting from the values of its sources.
  func start(from evaluation: Evaluation, on thread: CurrentThread) {
    if beginsRegion {
      for input in inputs {
        input.use {
          evaluation.compute($0.source)
          $0.start(from: evaluation)
        }
      }
    }
    channel.use { perform($0, self, .start(evaluation)) }
    if beginsRegion { channel.use { $0.endDelivering(on: thread) } }
  }

  /// Unlinks this node from its sources if the channel is no longer observed. Then unlinks each upstream
  /// node that is no longer observed.
  func deactivateIfUnobserved() {
    var discarded: [Any] = []
    var candidates = [self]
    lockRoots()
    while let node = candidates.popLast() {
      guard node.isActive, node.deactivate(&discarded) else { continue }
      for edge in node.edges {
        edge.use(node.unlink)
        if let upstream = edge.use({ $0.source.derivedNode }) { candidates.append(upstream) }
      }
    }
    unlockRoots()
    // Discarded values are released after unlocking, because a `deinit` can run user code.
    releaseAfterUnlocking(discarded)
  }

  /// Makes the node inactive, unless the node is observed or its region is being delivered. In the latter case, the
  /// deliverer does it afterward.
  private func deactivate(_ discarded: inout [Any]) -> Bool {
    let channel = channel.takeUnretainedValue()
    return channel.withRegionLocked { region in
      guard !channel.hasDependents else { return false }
      if region.deliverer.isDelivering {
        self.region.use { $0.releaseLater(channel) }
        return false
      }
      if !awaited.isEmpty { self.region.use { $0.joining[ObjectIdentifier(self)] = nil } }
      (isActive, awaited) = (false, [])
      withUnsafeMutablePointer(to: &discarded) { perform(channel, self, .stop($0)) }
      if let snapshot = snapshot.take() { discarded.append(snapshot) }
      self.region.use {
        $0.remove(self)
        if beginsRegion { discarded += $0.discardPending() }
      }
      return true
    }
  }

  private func unlink(from edge: Edge) {
    let input = input(edge)
    edge.source.withRegionLocked { _ in
      edge.sourceNode.use { node in
        node.dependentCount -= 1
        if let input {
          if edge.source.isDerived { node.region.use { $0.remove(input) } }
        } else {
          node.localDependentCount -= 1
        }
      }
    }
    guard let input else { return }
    for root in edge.roots { root.channel.extrasWord.extras?.use { $0.inputs.remove(input) } }
  }

  /// Visits this node and all derived nodes upstream, each node after its sources.
  ///
  /// The traversal skips each node for which `isDone` returns `true`, and doesn't continue upstream from
  /// a skipped node. The traversal is a loop, because recursion along a long chain of constants would
  /// overflow the stack.
  ///
  /// - Parameter isDone: Returns whether to skip a node. This closure must return `true` for a visited
  ///   node.
  func visitSourcesFirst(unless isDone: (Node) -> Bool, visit: (Node) -> Void) {
    guard !isDone(self) else { return }
    var path: [(node: Node, nextEdge: Int)] = [(self, 0)]
    while let (node, nextEdge) = path.last {
      if nextEdge < node.edges.count {
        path[path.count - 1].nextEdge += 1
        let upstream = node.edges[nextEdge].use { $0.source.derivedNode }
        if let upstream, !isDone(upstream) { path.append((upstream, 0)) }
      } else {
        visit(node)
        path.removeLast()
      }
    }
  }
}

extension AnyChannel {
  /// Runs a closure with the region's lock held. The caller must hold the locks of the roots. If the
  /// region begins with a variable, the region's lock is one of the roots' locks.
  final func withRegionLocked<Result>(_ body: (AnyChannel) -> Result) -> Result {
    let region = regionChannel
    return region.isDerived ? region.lock.withLock { body(region) } : body(region)
  }
}
