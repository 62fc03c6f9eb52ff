// A derived constant that is observed observes its sources; those may be derived themselves. Both
// directions are loops, not recursion, for a chain may be long, and happen while all variables are
// locked, so that no change is on its way to some of them and not to others.

extension AnyChannel {
  /// Has this channel, and all that it derives from, observe their sources; the roots are locked.
  ///
  /// - Returns: Those that did not before, sources first. This thread is their deliverer until it has
  ///   started them.
  final func activate(on thread: CurrentThread) -> [AnyChannel] {
    var activated: [AnyChannel] = []
    visitSourcesFirst {
      $0.derivation?.isActive ?? true
    } visit: {
      $0.linkToSources(on: thread)
      activated.append($0)
    }
    return activated
  }

  private final func linkToSources(on thread: CurrentThread) {
    guard let derivation else { return }
    lock.lock()
    derivation.isActive = true
    deliverer = Deliverer(thread)
    for source in derivation.sources { source.input = source.input(to: self, derivation) }
    lock.unlock()
    for source in derivation.sources {
      guard let input = source.input else { continue }
      source.channel.withLockUnlessRoot { source.channel.join(input) }
      source.channel.derivation?.inputCount += 1
      source.channel.derivation?.owner?.note(input)
    }
  }

  /// Has this channel stop to observe its sources if nobody observes it any more, and those sources
  /// that it was the last to observe.
  final func deactivateIfUnobserved() {
    guard let roots = derivation else { return }
    let thread = CurrentThread.current
    guard thread.pointee.openMutations == 0 else {
      return afterMutation(on: thread) { $0.deactivateIfUnobserved() }
    }
    var detached = DetachedObservations()
    var inputs: [AnyInput] = []
    var joiners: [Any] = []
    var candidates = [self]
    roots.lockRoots()
    while let channel = candidates.popLast() {
      for input in channel.deactivated(forgetting: &joiners) {
        let source = input.source.channel
        inputs.append(input)
        source.withLockUnlessRoot {
          // Under the lock: a deliverer that is done takes out what is marked, and only it then.
          input.markAsCleaned()
          if source.deliverer.thread != 0 {
            source.deliverer.hasCleaned = true
          } else {
            source.unlink(input, into: &detached)
          }
        }
        source.derivation?.inputCount -= 1
        if source.isDerived { candidates.append(source) }
      }
    }
    roots.unlockRoots()
    // Values that were on their way go here, outside the locks: their deinit may be the user's code.
    detached.release()
    withExtendedLifetime((inputs, joiners)) {}
  }

  /// Forgets what was on its way here, if nobody observes it; answers the inputs, now out of use.
  private final func deactivated(forgetting joiners: inout [Any]) -> [AnyInput] {
    lock.withLock {
      guard let derivation, derivation.isActive, first == nil, deliverer.thread == 0 else {
        return []
      }
      derivation.isActive = false
      derivation.pendingChanges = FIFO()
      if let taken = derivation.owner?.takeAllJoiners() { joiners.append(taken) }
      return derivation.sources.compactMap { source in
        defer { source.input = nil }
        return source.input
      }
    }
  }

  /// The lock of a root is held already while one activates and deactivates.
  private final func withLockUnlessRoot(_ body: () -> Void) {
    if isDerived { lock.withLock(body) } else { body() }
  }
}
