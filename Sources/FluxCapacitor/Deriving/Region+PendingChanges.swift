// If a region begins with a constant, each change to the region is announced before its delivery. The
// change then awaits the values of the region's inputs, which are edges from other regions. Finally, a
// thread computes and delivers the change.

extension Region {
  /// Takes the region's lock and announces a change. `endAnnouncing` releases the lock.
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

  /// Records that an input takes part in the last announced change. The caller must hold the region's
  /// lock.
  ///
  /// - Parameter isBrought: Whether the input already has its value, so that the change doesn't await
  ///   this value.
  /// - Returns: The version of the last announced change.
  func expect(isBrought: Bool) -> Version {
    let last = pending.count - 1
    if !isBrought { pending[last].awaited += 1 }
    return pending[last].version
  }

  func endAnnouncing(on thread: CurrentThread) {
    takePlaceIfReady(on: thread)
    channel.use { $0.lock.unlock() }
  }

  /// Records that an input has brought its value for a change. The caller must hold the region's lock.
  @usableFromInline func didArrive(_ version: Version, on thread: CurrentThread) {
    // Pending changes have consecutive versions, except that the first pending change can combine
    // several versions.
    let first = pending[0].version
    let index = version < first ? 0 : Int32(truncatingIfNeeded: version.count &- first.count)
    pending[index].awaited -= 1
    if index == 0 { takePlaceIfReady(on: thread) }
  }

  /// If the first pending change is complete, adds a delivery of the change to this thread's round. If
  /// another thread is delivering the region, the change is left to that thread. The caller must hold
  /// the region's lock.
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

  /// Whether all inputs have brought their values for the first pending change, and no open transaction
  /// holds the region. The caller must hold the region's lock.
  private var isReady: Bool {
    !pending.isEmpty && pending[0].awaited == 0 && !isHeld
  }

  /// Combines all changes to the region into one until an open transaction has been committed. The
  /// caller must hold the region's lock.
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

  /// Computes and delivers the first pending change, if the change is complete and no other thread is
  /// delivering.
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

  /// Removes the first pending change from the queue, and takes the values that the inputs have brought
  /// for the change. The caller must hold the region's lock.
  ///
  /// - Returns: Whether this thread has a change to deliver.
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

  /// Makes a thread the region's deliverer until the thread calls `endStarting`. The caller must hold
  /// the region's lock.
  func beginStarting(on thread: CurrentThread) { channel.use { $0.deliverer = Deliverer(thread) } }

  func endStarting(on thread: CurrentThread) {
    channel.use { channel in
      channel.lock.withLock { takePlaceIfReady(on: thread) }
      channel.endDelivering(on: thread)
    }
  }

  /// Discards all pending changes and their values. The caller must hold the region's lock.
  ///
  /// - Returns: The discarded values, which the caller must release after unlocking.
  func discardPending() -> [Any] {
    pending = FIFO()
    return first.use { $0.sources.map { $0.use { $0.discardValues() } } }
  }
}
