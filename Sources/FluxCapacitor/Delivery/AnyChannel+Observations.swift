extension AnyChannel {
  /// Adds an observation at the end of the ring. The region's lock must be held.
  @inlinable final func link(_ dust: Dust, since version: Version) {
    let node = Unmanaged.passRetained(dust)
    let (next, previous) = (first ?? node, first?.use { $0.previous } ?? node)
    (dust.since, dust.channel) = (version, self)
    (dust.next, dust.previous) = (next, previous)
    previous.use { $0.next = node }
    next.use { $0.previous = node }
    if first == nil { first = node }
  }

  /// Calls a closure with each observation in a stretch of the ring. The closure may remove the
  /// observation that it receives.
  @inlinable static func walk(_ stretch: Stretch, _ body: (Dust) -> Void) {
    guard var node = stretch.first else { return }
    while true {
      // Don't read `next` of the last one: another thread may be adding an observation after it.
      let next =
        node.toOpaque() == stretch.last?.toOpaque()
        ? nil : node.use { $0.next }
      node.use(body)
      guard let next else { return }
      node = next
    }
  }

  /// A part of the ring of observations. The deliverer may walk its stretch without the lock.
  @usableFromInline typealias Stretch = (first: Unmanaged<Dust>?, last: Unmanaged<Dust>?)

  /// The stretch of all observations. The lock must be held.
  @inlinable final var stretch: Stretch { (first, first?.use { $0.previous }) }

  /// Removes an observation if it is in the ring, and passes on the ring's reference to
  /// it. The lock must be held.
  private final func unlink(_ dust: Dust, into detached: inout Detached) {
    let node = Unmanaged.passUnretained(dust)
    guard let next = dust.next, let previous = dust.previous else { return }
    previous.use { $0.next = next }
    next.use { $0.previous = previous }
    let isAlone = next.toOpaque() == node.toOpaque()
    if first?.toOpaque() == node.toOpaque() { first = isAlone ? nil : next }
    dust.next = nil
    detached.push(node)
  }

  /// Removes a cleaned observation, now or when the delivery in progress has ended.
  ///
  /// Inside a mutation, the deinit of a discarded value may call this method. Then the thread must not wait
  /// for the region's lock, because the thread that holds it may be waiting for the mutated variable.
  final func remove(_ dust: Dust) {
    let thread = CurrentThread.current
    guard thread.pointee.openMutations == 0 else {
      return deferPastMutation(on: thread) { $0.remove(dust) }
    }
    var detached = Detached()
    let region = regionChannel
    let isObserved = region.lock.withLock {
      if region.deliverer.isDelivering {
        region.deliverer.hasCleaned = true
      } else {
        unlink(dust, into: &detached)
      }
      return self.isObserved
    }
    detached.release()
    if !isObserved { becameUnobserved() }
  }

  /// Performs an action in this thread's round, when the thread no longer holds the lock of a variable.
  final func deferPastMutation(
    on thread: CurrentThread,
    do action: @escaping @Sendable (AnyChannel) -> Void
  ) {
    let delivery = PendingDelivery(to: self) { channel, _, _ in
      // The place's target is this channel.
      action(unsafeDowncast(channel, to: AnyChannel.self))
    }
    thread.append(delivery, isOwn: false)
  }

  /// Leaves the changes up to a version to the deliverer. The lock must be held.
  @usableFromInline final func leave(through version: Version) {
    let attachments = ensureAnyAttachments()
    attachments.left = max(attachments.left ?? version, version)
  }

  /// Ends the delivery of a change, and does the work that other threads have left to the deliverer.
  @inlinable final func endDelivering(on thread: CurrentThread) {
    lock.lock()
    let hasCleaned = deliverer.hasCleaned
    deliverer = Deliverer()
    let hasMore = hasCleaned || isClosed || anyAttachments?.left != nil
    let detached = hasMore ? deliverWhatIsLeft(hasCleaned: hasCleaned, on: thread) : nil
    lock.unlock()
    detached?.release()
  }

  /// Takes a place for the changes that other threads have left, and removes cleaned
  /// observations. The lock must be held.
  @usableFromInline
  final func deliverWhatIsLeft(hasCleaned: Bool, on thread: CurrentThread) -> Detached {
    var detached = Detached()
    if hasCleaned {
      removeCleaned(into: &detached)
      if let region = anyAttachments?.downstream?.ownRegion {
        region.forEachChannel { $0.removeCleaned(into: &detached) }
        detached.others = region.takeDetached()
      }
    }
    if isClosed { closeIfIdle(into: &detached) }
    if let version = anyAttachments?.left.take() {
      thread.pointee.changesOfOthers &+= 1
      thread.append(place(through: version), isOwn: false)
    }
    return detached
  }

  private final func removeCleaned(into detached: inout Detached) {
    AnyChannel.walk(stretch) { dust in
      if dust.isCleaned { unlink(dust, into: &detached) }
    }
    if !isObserved { detached.unobserved.append(self) }
  }

  /// Removes all observations if no change remains to be delivered. The lock must be held.
  final func closeIfIdle(into detached: inout Detached) {
    guard isIdle, mark.isNone else { return }
    while let first { unlink(first.takeUnretainedValue(), into: &detached) }
  }

  /// The number of observers that the channel has, directly or through derived constants.
  ///
  /// Computing it is O(n). It is a loop, because recursion along a long chain would overflow the stack.
  final var observerCount: Int {
    var count = 0
    var channels = [self]
    var known: Set = [ObjectIdentifier(self)]
    var next = 0
    while next < channels.count {
      let channel = channels[next]
      next += 1
      channel.regionChannel.lock.withLock {
        AnyChannel.walk(channel.stretch) { if !$0.isCleaned { count += 1 } }
        channel.anyAttachments?.downstream?.forEachDependent {
          if known.insert(ObjectIdentifier($0)).inserted { channels.append($0) }
        }
      }
    }
    return count
  }
}
