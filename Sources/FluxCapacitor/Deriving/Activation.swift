// A derived constant that is observed observes its sources, which may be derived themselves.
// Activating and deactivating are loops, because recursion along a long chain would overflow the
// stack. All variables are locked meanwhile, so that each change invalidates either all of the
// constants or none.

extension AnyChannel {
  /// Makes this channel, and all derived channels upstream, observe their sources. The roots must
  /// be locked.
  ///
  /// - Returns: The channels that were not active before, sources first. This thread is their
  ///   deliverer until it has started them.
  final func activate(on thread: CurrentThread) -> [AnyChannel] {
    var activated: [AnyChannel] = []
    visitSourcesFirst(unless: { $0.derivation?.isActive ?? true }) {
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
    let inputs = derivation.sources.map { $0.makeInput($0, self, derivation) }
    for input in inputs { input.source.input = .passUnretained(input) }
    lock.unlock()
    for input in inputs {
      let source = input.source.channel
      // Under this lock, nothing that is on its way to the source is taken.
      let origin = source.firstThatIsNoRelay
      origin.withLockUnlessRoot {
        let join = {
          source.join(input)
          if let upstream = origin.derivation {
            derivation.awaitPending(of: upstream, by: input, in: self)
          }
        }
        if source === origin { join() } else { source.lock.withLock(join) }
      }
      source.derivation?.inputCount += 1
      source.didJoin(input)
    }
  }

  /// Makes this channel stop observing its sources if nobody observes it any more, and then those
  /// sources that nobody else observes.
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
          // Under the lock, because a deliverer that is done removes what it finds marked. That lock
          // orders everything else, so releasing is more than enough.
          input.lock.schedulePoint(.write)
          input.flags.bitwiseOr(Dust.cleaned, ordering: .releasing)
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
    // Values that were on their way are released after unlocking, because a deinit may run user
    // code.
    detached.release()
    withExtendedLifetime((inputs, joiners)) {}
  }

  /// Discards what was on its way here, if nobody observes it.
  ///
  /// - Returns: The inputs, which are no longer in use.
  private final func deactivated(forgetting joiners: inout [Any]) -> [AnyInput] {
    lock.withLock {
      guard let derivation, derivation.isActive, first == nil, deliverer.thread == 0 else {
        return []
      }
      derivation.isActive = false
      derivation.pendingChanges = FIFO()
      if derivation.mayKeepValues { joiners.append(takeJoiners()) }
      return derivation.sources.compactMap { source in
        defer { source.input = nil }
        return source.input?.takeUnretainedValue()
      }
    }
  }

  /// Activating and deactivating hold the locks of the roots already.
  private final func withLockUnlessRoot(_ body: () -> Void) {
    if isDerived { lock.withLock(body) } else { body() }
  }
}
