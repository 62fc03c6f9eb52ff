// An observer of a derived constant activates the constant's node. Activation links the node and all
// derived nodes upstream to their sources. Activation and deactivation are loops, because recursion
// along a long chain of constants would overflow the stack. A thread that activates or deactivates nodes
// holds the locks of all roots, the variables that the nodes derive from. Each commit is therefore
// announced to all constants in the chain or to none of them.

extension Node {
  /// Locks all variables that the node derives from, so that no other thread can write them.
  @usableFromInline func lockRoots() {
    TransactionMember.lockAll(roots.count) { .passUnretained(roots[$0].channel) }
  }

  @usableFromInline func unlockRoots() { for root in roots { root.channel.lock.unlock() } }

  /// The state of the node's variables, as one number. The caller must hold the locks of the variables.
  @usableFromInline var currentState: StateID { state { StateID($0.version) } }

  /// Whether an open transaction has written one of the node's variables. The caller must hold the locks
  /// of the variables.
  var hasOpenRoots: Bool { roots.contains { $0.channel.mark.isOpen } }

  /// Links this node and all derived nodes upstream to their sources. The caller must hold the locks of
  /// the roots.
  ///
  /// - Returns: The newly activated nodes, each after its sources. If a returned node begins a region,
  ///   this thread is the region's deliverer until the thread calls `start`.
  func activate(on thread: CurrentThread) -> [Node] {
    var activated: [Node] = []
    visitSourcesFirst(unless: \.isActive) { node in
      node.link(on: thread)
      activated.append(node)
    }
    return activated
  }

  private func link(on thread: CurrentThread) {
    for source in sources { source.use(link) }
    channel.use { channel in
      channel.withRegionLocked { _ in
        isActive = true
        isFresh = true
        guard isFirst else { return }
        self.region.use { $0.beginStarting(on: thread) }
        for root in roots {
          guard let transaction = root.channel.mark.transaction else { continue }
          self.region.use { $0.hold(for: transaction) }
        }
      }
    }
  }

  private func link(to source: AnySource) {
    source.channel.withRegionLocked { region in
      let node = source.channel.ensureNode()
      // `source.node` is set only once, because the region's deliverer can read it without the lock.
      if source.node == nil { source.node = .passUnretained(node) }
      node.dependents.append(source)
      node.isInUse = true
      node.region.use { $0.isListed = false }
      if isFirst {
        channel.use { $0.lock.withLock { source.since = region.version } }
      } else {
        node.nodeCount += 1
        if self.region == nil { self.region = node.region }
        source.since = region.version
      }
    }
    guard isFirst else { return }
    for root in source.roots {
      root.channel.anyAttachments?.use { $0.listeners.insert(.passUnretained(source)) }
    }
  }

  /// Makes an activated node ready to deliver changes, starting from the values of its sources.
  ///
  /// - Parameter staysFresh: Whether to keep the node fresh, because the evaluation can contain
  ///   uncommitted values.
  func start(from evaluation: Evaluation, staysFresh: Bool, on thread: CurrentThread) {
    if isFirst {
      for source in sources {
        source.use {
          evaluation.compute($0.channel)
          $0.start(from: evaluation)
        }
      }
    }
    if !staysFresh { channel.use { operations.start($0, evaluation) } }
    if isFirst { region.use { $0.endStarting(on: thread) } }
  }

  /// Unlinks this node from its sources if the channel is no longer observed. Then unlinks each upstream
  /// node that is no longer observed.
  func deactivateIfUnobserved() {
    // Discarded values are released after unlocking, because a `deinit` can run user code.
    var discarded: [Any] = []
    var candidates = [self]
    lockRoots()
    while let node = candidates.popLast() {
      guard node.isActive, node.deactivate(&discarded) else { continue }
      for source in node.sources {
        source.use(node.unlink)
        if let upstream = source.use({ $0.channel.derivedNode }) { candidates.append(upstream) }
      }
    }
    unlockRoots()
    withExtendedLifetime(discarded) {}
  }

  /// Makes the node inactive, unless the node is observed or begins a region that is being delivered.
  private func deactivate(_ discarded: inout [Any]) -> Bool {
    let channel = channel.takeUnretainedValue()
    return channel.withRegionLocked { region in
      guard !channel.isObserved else { return false }
      if isFirst, region.deliverer.isDelivering {
        region.deliverer.hasCleaned = true
        return false
      }
      isActive = false
      if isFirst { discarded += self.region.use { $0.discardPending() } }
      return true
    }
  }

  private func unlink(from source: AnySource) {
    source.channel.withRegionLocked { region in
      source.node.use { node in
        node.dependents.remove(source)
        node.region.use { $0.isListed = false }
        node.isInUse = !node.dependents.isEmpty
        if !isFirst { node.nodeCount -= 1 }
        guard region.deliverer.isDelivering else { return }
        // The deliverer might have listed this node or this source, so `detached` retains the channel
        // until the delivery ends.
        region.deliverer.hasCleaned = true
        node.region.use { $0.detached.append(channel.takeUnretainedValue()) }
      }
    }
    guard isFirst else { return }
    for root in source.roots { root.channel.anyAttachments?.use { $0.listeners.remove(source) } }
  }

  /// Records the state and the edition of the channel's first value. The caller must hold the region's
  /// lock.
  @usableFromInline func didStart(at state: StateID, edition: StateID) {
    deliveredState = state
    self.edition = edition
    isFresh = false
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
    var path: [(node: Node, nextSource: Int)] = [(self, 0)]
    while let (node, nextSource) = path.last {
      if nextSource < node.sources.count {
        path[path.count - 1].nextSource += 1
        let source = node.sources[nextSource].use { $0.channel.derivedNode }
        if let source, !isDone(source) { path.append((source, 0)) }
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
