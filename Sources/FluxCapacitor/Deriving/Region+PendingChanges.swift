// Regions that begin with a constant: each change is announced, awaits the values of its inputs, and is
// then computed.

extension Region {
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
    channel.use { channel in
      // Otherwise, a place for the first one has been taken, or will be.
      if pending.count == 1 || channel.deliverer.isOffered { takePlaceIfReady(on: thread) }
      channel.lock.unlock()
    }
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
  private var isReady: Bool {
    !pending.isEmpty && pending[0].awaited == 0 && !isStarting && !isHeld
  }

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
      let previous = version
      prepare(for: change.version)
      self.previous = previous
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
    holders = []
    return first.use { $0.sources.map { $0.use { $0.discardValues() } } }
  }
}
