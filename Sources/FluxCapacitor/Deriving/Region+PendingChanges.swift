// In a region that begins with a constant, each change is announced, awaits the values of its
// inputs, and is then computed.

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

  /// Notes that an input has a value for the last announced change, or will bring one. The lock must be held.
  ///
  /// - Returns: The version of the change.
  func expect(isBrought: Bool) -> Version {
    let last = pending.count - 1
    if !isBrought { pending[last].awaited += 1 }
    return pending[last].version
  }

  func endAnnouncing(on thread: CurrentThread) {
    takePlaceIfReady(on: thread)
    channel.use { $0.lock.unlock() }
  }

  /// Notes that an input has brought its value for a change. The lock must be held.
  @usableFromInline func didArrive(_ version: Version, on thread: CurrentThread) {
    // The versions of pending changes have no gaps. Only the first change may combine several versions.
    let first = pending[0].version
    let index = version < first ? 0 : Int32(truncatingIfNeeded: version.count &- first.count)
    pending[index].awaited -= 1
    if index == 0 { takePlaceIfReady(on: thread) }
  }

  /// Takes a place in the thread's round if the first change is complete, or leaves it to the
  /// thread that is delivering. The lock must be held.
  private func takePlaceIfReady(on thread: CurrentThread) {
    guard isReady else { return }
    channel.use { channel in
      if channel.takeOffer(on: thread) {
        thread.append(channel.place(through: channel.version), isOwn: false)
      } else {
        channel.leave(through: channel.version)
      }
    }
  }

  /// Whether the first pending change is complete. The lock must be held.
  private var isReady: Bool {
    !pending.isEmpty && pending[0].awaited == 0 && !isHeld
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
  func deliverNext(through version: Version, on thread: CurrentThread) {
    if thread.isDueForHandover, channel.use({ $0.handOver(through: version, on: thread) }) {
      return
    }
    guard channel.use({ $0.lock.withLock { takeNext(on: thread) } }) else { return }
    first.use { first in
      state = .zero
      var isReached = first.isFirstChange
      for source in first.sources {
        source.use {
          $0.operations.makeCurrent($0)
          isReached = isReached || $0.isChanged
          state = state + $0.weight * $0.state
          $0.isChanged = false
        }
      }
      first.compute(isReached)
      computeNodes(on: thread)
      first.callObservers(on: thread)
    }
    callObservers(on: thread)
    channel.use { $0.endDelivering(on: thread) }
  }

  /// Takes out the first pending change, with the values that the inputs have brought for it. The
  /// lock must be held.
  ///
  /// - Returns: Whether there is a change for this thread to deliver.
  private func takeNext(on thread: CurrentThread) -> Bool {
    channel.use { channel in
      guard !channel.deliverer.isDelivering, isReady, let change = pending.popFirst() else {
        return false
      }
      channel.deliverer = Deliverer(thread)
      first.use { first in
        for source in first.sources { source.use { $0.takeValues(for: change.version) } }
        first.prepare(for: change.version)
      }
      prepare(for: change.version)
      if isReady {
        thread.pointee.changesOfOthers &+= 1
        takePlaceIfReady(on: thread)
      }
      return true
    }
  }

  /// Makes a thread the deliverer until it calls `endStarting`. The lock must be held.
  func beginStarting(on thread: CurrentThread) { channel.use { $0.deliverer = Deliverer(thread) } }

  func endStarting(on thread: CurrentThread) {
    channel.use { channel in
      channel.lock.withLock { takePlaceIfReady(on: thread) }
      channel.endDelivering(on: thread)
    }
  }

  /// Discards the changes that are on their way. The lock must be held.
  ///
  /// - Returns: The values to release after unlocking.
  func discardPending() -> [Any] {
    pending = FIFO()
    return first.use { $0.sources.map { $0.use { $0.discardValues() } } }
  }
}
