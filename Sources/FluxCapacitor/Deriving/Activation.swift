// An observed derived constant is linked to its sources, which may be derived themselves.
// Activating and deactivating are loops, because recursion along a long chain would overflow the
// stack. All roots are locked meanwhile, so each commit is announced to all of the constants or to
// none.

extension Node {
  /// Locks the variables, so that nothing can be written meanwhile.
  @usableFromInline func lockRoots() {
    TransactionMember.lockAll(roots.count) { .passUnretained(roots[$0].channel) }
  }

  @usableFromInline func unlockRoots() { for root in roots { root.channel.lock.unlock() } }

  /// The state of the variables, which must be locked.
  @usableFromInline var currentState: StateID { state { StateID($0.version) } }

  /// Whether a variable has a value of an open transaction. The variables must be locked.
  var hasOpenRoots: Bool { roots.contains { $0.channel.mark.isOpen } }

  /// Links this node, and all nodes upstream, to their sources. The roots must be locked.
  ///
  /// - Returns: The nodes that were not active before, sources first. If one of them begins a
  ///   region, this thread is the region's deliverer until `start`.
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
      // Set only once, because the region's deliverer may be reading it.
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
      root.channel.anyAttachments?.listeners.insert(.passUnretained(source))
    }
  }

  /// Makes an activated node ready to deliver changes, starting from the values of its sources.
  ///
  /// - Parameter staysFresh: Whether these values may be ahead of the delivered values.
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

  /// Unlinks this node from its sources if it is not observed any more. Then does the same with
  /// each source that is not observed otherwise.
  func deactivateIfUnobserved() {
    // Values on their way are released after unlocking, because a deinit may run user code.
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

  /// Makes the node inactive, unless it is observed, or begins a region that is being delivered.
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
        node.isInUse = node.isCombined || !node.dependents.isEmpty
        if !isFirst { node.nodeCount -= 1 }
        guard region.deliverer.isDelivering else { return }
        // The deliverer may have listed this node, or this input of the node.
        region.deliverer.hasCleaned = true
        node.region.use { $0.detached.append(channel.takeUnretainedValue()) }
      }
    }
    guard isFirst else { return }
    for root in source.roots { root.channel.anyAttachments?.listeners.remove(source) }
  }

  /// Called when the channel has a value to start with. The region's lock must be held.
  @usableFromInline func didStart(at state: StateID, edition: StateID) {
    deliveredState = state
    self.edition = edition
    isFresh = false
  }

  /// Visits this node and all derived nodes upstream, each after its sources.
  ///
  /// It skips a node that is done, and the nodes that only skipped nodes derive from. It is a loop,
  /// because recursion along a long chain would overflow the stack.
  ///
  /// - Parameter isDone: Returns whether to skip a node. It must return `true` for a visited node.
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
  /// Runs a closure with the region's lock held. The roots must be locked, so if the region begins
  /// with a variable, that variable's lock is already held.
  final func withRegionLocked<Result>(_ body: (AnyChannel) -> Result) -> Result {
    let region = regionChannel
    return region.isDerived ? region.lock.withLock { body(region) } : body(region)
  }
}
