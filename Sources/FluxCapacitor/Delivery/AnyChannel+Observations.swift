extension AnyChannel {
  /// Adds an observation as the last one. The region's lock must be held.
  @inlinable final func link(_ dust: Dust, since version: Version) {
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
  }

  /// Calls a closure with each observation in a stretch of the ring. It may remove the one that it is
  /// called with.
  @inlinable static func walk(_ stretch: Stretch, _ body: (Dust) -> Void) {
    guard var node = stretch.first else { return }
    while true {
      // Don't read the last one's `next`: another thread may be adding an observation after it.
      let next =
        node.toOpaque() == stretch.last?.toOpaque()
        ? nil : node._withUnsafeGuaranteedRef { $0.next }
      node._withUnsafeGuaranteedRef(body)
      guard let next else { return }
      node = next
    }
  }

  /// A part of the ring of observations. The deliverer's may be walked without the lock.
  @usableFromInline typealias Stretch = (first: Unmanaged<Dust>?, last: Unmanaged<Dust>?)

  /// All observations. The lock must be held.
  @inlinable final var stretch: Stretch { (first, first?._withUnsafeGuaranteedRef { $0.previous }) }

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
  /// Inside a mutation of the region's variable, the thread already holds the lock: the deinit of
  /// something that the mutation discards may clean an observation of it. Inside a mutation of another
  /// variable, it must not wait for the lock, whose holder may be waiting for that variable: the
  /// observation is removed afterward.
  final func remove(_ dust: Dust) {
    var detached = DetachedObservations()
    let region = region
    let thread = CurrentThread.current
    let isMutating = region.lock.isHeld(by: thread.id)
    if !isMutating, thread.pointee.openMutations == 0 {
      region.lock.lock()
    } else if !isMutating, !region.lock.tryLock() {
      return afterMutation(on: thread) { $0.remove(dust) }
    }
    if region.deliverer.isDelivering {
      region.deliverer.hasCleaned = true
    } else if dust.next != nil {
      unlink(dust, into: &detached)
    }
    let isObserved = isObserved
    if !isMutating { region.lock.unlock() }
    detached.release()
    if !isObserved { becameUnobserved() }
  }

  /// Performs an action in this thread's round, when it holds no variable's lock any more.
  final func afterMutation(
    on thread: CurrentThread,
    do action: @escaping @Sendable (AnyChannel) -> Void
  ) {
    let delivery = PendingDelivery(to: self) { channel, _, _ in
      // The delivery's target is this channel.
      action(unsafeDowncast(channel, to: AnyChannel.self))
    }
    thread.append(delivery, isOwn: false)
  }

  /// Removes what has left the region while a change was delivered. The lock must be held, with no
  /// thread delivering.
  @usableFromInline final func removeLeavers() -> Leavers {
    var leavers = Leavers()
    removeCleaned(into: &leavers)
    if let downstream = anyAttachments?.downstream {
      downstream.forEachChannelOfRegion { $0.removeCleaned(into: &leavers) }
      leavers.others = downstream.takeLeavers()
    }
    return leavers
  }

  private final func removeCleaned(into leavers: inout Leavers) {
    AnyChannel.walk(stretch) { dust in
      if dust.isCleaned { unlink(dust, into: &leavers.detached) }
    }
    if !isObserved { leavers.unobserved.append(self) }
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
      channel.region.lock.withLock {
        AnyChannel.walk(channel.stretch) { if !$0.isCleaned { count += 1 } }
        channel.anyAttachments?.downstream?.forEachDependent {
          if known.insert(ObjectIdentifier($0)).inserted { channels.append($0) }
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
@usableFromInline struct DetachedObservations {
  @usableFromInline var head: Unmanaged<Dust>?

  @inlinable init() {}

  mutating func push(_ node: Unmanaged<Dust>) {
    node._withUnsafeGuaranteedRef { $0.previous = head }
    head = node
  }

  /// Releases the ring's references, and what the observations hold.
  @inlinable func release() {
    if head != nil { releaseAll() }
  }

  @usableFromInline func releaseAll() {
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

/// What has left a region, to be released after its lock is unlocked.
@usableFromInline struct Leavers {
  @usableFromInline var detached = DetachedObservations()

  /// The channels that nobody observes any more.
  fileprivate var unobserved: [AnyChannel] = []

  fileprivate var others: [AnyObject] = []

  @usableFromInline init() {}

  @usableFromInline func release() {
    detached.release()
    for channel in unobserved { channel.becameUnobserved() }
  }
}
