extension AnyChannel {
  /// Adds an observation as the last one, or an input before all others. The lock must be held.
  @inlinable
  final func link(_ dust: Dust) {
    let node = Unmanaged.passRetained(dust)
    dust.since = version
    dust.channel = self
    guard let first else {
      dust.next = node
      dust.previous = node
      first = node
      return
    }
    let last = first._withUnsafeGuaranteedRef { $0.previous }
    dust.next = first
    dust.previous = last
    last?._withUnsafeGuaranteedRef { $0.next = node }
    first._withUnsafeGuaranteedRef { $0.previous = node }
    if dust.isInput { self.first = node }
  }

  /// Calls a closure with each observation in a stretch of the ring, until it returns `false`. It
  /// may remove the one that it is called with.
  @inlinable
  static func walk(
    from first: Unmanaged<Dust>,
    through last: Unmanaged<Dust>?,
    _ body: (Dust) -> Bool
  ) {
    var node = first
    while true {
      // Don't read the last one's `next`: another thread may be adding an observation after it.
      let next =
        node.toOpaque() == last?.toOpaque() ? nil : node._withUnsafeGuaranteedRef { $0.next }
      guard node._withUnsafeGuaranteedRef(body), let next else { return }
      node = next
    }
  }

  /// Calls a closure with each observation. The lock must be held.
  private final func forEachObservation(_ body: (Dust) -> Void) {
    guard let first else { return }
    AnyChannel.walk(from: first, through: first._withUnsafeGuaranteedRef { $0.previous }) {
      body($0)
      return true
    }
  }

  /// Removes an observation, and passes on the ring's reference to it. The lock must be held.
  final func unlink(_ dust: Dust, into detached: inout DetachedObservations) {
    let node = Unmanaged.passUnretained(dust)
    if let next = dust.next, next.toOpaque() != node.toOpaque() {
      let previous = dust.previous
      previous?._withUnsafeGuaranteedRef { $0.next = next }
      next._withUnsafeGuaranteedRef { $0.previous = previous }
      if first?.toOpaque() == node.toOpaque() { first = next }
    } else {
      first = nil
    }
    dust.next = nil
    detached.push(node)
  }

  /// Removes a cleaned observation, now or when the delivery in progress has ended.
  ///
  /// Inside a mutation of this channel, the thread already holds the lock: the deinit of something
  /// that the mutation discards may clean an observation of it. Inside a mutation of another
  /// variable, it must not wait for the lock, whose holder may be waiting for that variable: the
  /// observation is removed afterwards.
  final func remove(_ dust: Dust) {
    var detached = DetachedObservations()
    let thread = CurrentThread.current
    let isMutating = lock.isHeld(by: thread.id)
    if !isMutating, thread.pointee.openMutations == 0 {
      lock.lock()
    } else if !isMutating, !lock.tryLock() {
      return afterMutation(on: thread) { $0.remove(dust) }
    }
    if deliverer.thread != 0 {
      deliverer.hasCleaned = true
    } else if dust.next != nil {
      unlink(dust, into: &detached)
    }
    let isUnobserved = first == nil
    if !isMutating { lock.unlock() }
    detached.release()
    if isUnobserved { becameUnobserved() }
  }

  /// Removes every cleaned observation. No thread may be delivering. Unlocks the lock.
  @usableFromInline
  final func detachCleaned() {
    var detached = DetachedObservations()
    detachCleaned(into: &detached)
    let isUnobserved = first == nil
    lock.unlock()
    detached.release()
    if isUnobserved { becameUnobserved() }
  }

  /// Performs an action in this thread's round, when it holds no variable's lock any more.
  final func afterMutation(
    on thread: CurrentThread,
    do action: @escaping @Sendable (AnyChannel) -> Void
  ) {
    let delivery = PendingDelivery(to: self, at: 0) { channel, _, _ in
      // The delivery's target is this channel.
      action(unsafeDowncast(channel, to: AnyChannel.self))
    }
    thread.append(delivery, isOwn: false)
  }

  /// Removes every cleaned observation. The lock must be held, with no thread delivering.
  @usableFromInline
  final func detachCleaned(into detached: inout DetachedObservations) {
    forEachObservation { dust in
      if dust.isCleaned { unlink(dust, into: &detached) }
    }
  }

  /// How many observers it has, directly or through derived constants. O(n), and a loop, because
  /// recursion along a long chain would overflow the stack.
  final var observerCount: Int {
    var count = 0
    var channels = [self]
    var known: Set = [ObjectIdentifier(self)]
    var next = 0
    while next < channels.count {
      let channel = channels[next]
      next += 1
      channel.lock.withLock {
        channel.forEachObservation { dust in
          guard !dust.isCleaned else { return }
          guard let downstream = dust.downstream else { return count += 1 }
          if known.insert(ObjectIdentifier(downstream)).inserted { channels.append(downstream) }
        }
      }
    }
    return count
  }

  /// Removes every observation. The lock must be held, with no thread delivering.
  final func detachAll(into detached: inout DetachedObservations) {
    while let first { unlink(first.takeUnretainedValue(), into: &detached) }
  }
}

/// Observations that were removed from a ring, to be released after its lock is unlocked.
///
/// They are chained through their own links, so that nothing is allocated and releasing is a loop.
@usableFromInline
struct DetachedObservations {
  @usableFromInline var head: Unmanaged<Dust>?

  @inlinable
  init() {}

  mutating func push(_ node: Unmanaged<Dust>) {
    node._withUnsafeGuaranteedRef { $0.previous = head }
    head = node
  }

  /// Releases the ring's references, and what the observations hold.
  @inlinable
  func release() {
    if head != nil { releaseAll() }
  }

  @usableFromInline
  func releaseAll() {
    var next = head
    while let node = next {
      node._withUnsafeGuaranteedRef { dust in
        next = dust.previous
        dust.previous = nil
        dust.releaseContents(dust)
      }
      node.release()
    }
  }
}
