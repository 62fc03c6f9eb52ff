extension AnyChannel {
  /// Adds an observation at the end of the ring. The caller must hold the region's lock.
  @inlinable final func link(_ dust: Dust, since version: Version) {
    let node = Unmanaged.passRetained(dust)
    let (next, previous) = (first ?? node, first?.use { $0.previous } ?? node)
    (dust.since, dust.channel) = (version, self)
    (dust.next, dust.previous) = (next, previous)
    previous.use { $0.next = node }
    next.use { $0.previous = node }
    if first == nil { first = node }
  }

  /// Calls a closure with each observation in a part of the ring. The closure may remove the observation
  /// that the closure receives.
  @inlinable static func walk(_ stretch: Stretch, _ body: (Dust) -> Void) {
    guard var node = stretch.first else { return }
    while true {
      // Don't read the `next` of the last observation, because another thread might be appending to the
      // ring.
      let next =
        node.toOpaque() == stretch.last?.toOpaque()
        ? nil : node.use { $0.next }
      node.use(body)
      guard let next else { return }
      node = next
    }
  }

  /// A part of the ring of observations. The delivering thread walks such a part of the ring without the
  /// lock.
  @usableFromInline typealias Stretch = (first: Unmanaged<Dust>?, last: Unmanaged<Dust>?)

  /// The part of the ring that contains all current observations. The caller must hold the region's lock.
  @inlinable final var stretch: Stretch { (first, first?.use { $0.previous }) }

  /// The number of observers, and of observed constants that derive directly from the channel.
  ///
  /// - Complexity: O(n) in the number of observers.
  final var observerCount: Int {
    regionChannel.lock.withLock {
      var count = anyAttachments?.use { $0.dependentCount } ?? 0
      AnyChannel.walk(stretch) { if !$0.isCleaned { count += 1 } }
      return count
    }
  }

  /// Removes an observation from the ring, and moves the ring's reference into `detached`. An observation
  /// that has already left the ring is ignored. The caller must hold the region's lock.
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

  /// Removes a cleaned observation immediately or, during a delivery, at the end of that delivery.
  ///
  /// The deinit of a value that a mutation discards can call this method. Inside a mutation, this thread
  /// must not wait for the region's lock. The thread that holds the region's lock might be waiting for
  /// the lock of the mutated variable.
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
    if !isObserved || isOwned { becameUnobserved() }
  }

  /// Defers an action until this thread no longer holds a variable's lock. Afterward, the thread performs
  /// the action as part of its pending deliveries.
  final func deferPastMutation(
    on thread: CurrentThread,
    do action: @escaping @Sendable (AnyChannel) -> Void
  ) {
    let delivery = PendingDelivery(to: self) { channel, _, _ in
      // The downcast is safe because this channel is the closure's first argument.
      action(unsafeDowncast(channel, to: AnyChannel.self))
    }
    thread.append(delivery, isOwn: false)
  }

  /// Leaves the delivery of the changes up to a version to the thread that is delivering the channel. The
  /// caller must hold the channel's lock.
  @usableFromInline
  final func leave(through version: Version, by deliver: @escaping PendingDelivery.Deliver) {
    let attachments = ensureAnyAttachments()
    attachments.left = (max(attachments.left?.version ?? version, version), deliver)
  }

  /// Adds a place for the changes that were left to this thread, if any. The caller must hold the channel's
  /// lock.
  @usableFromInline final func takeWhatIsLeft(on thread: CurrentThread) {
    guard let (version, deliver) = anyAttachments?.use({ $0.left.take() }) else { return }
    thread.append(PendingDelivery(to: self, through: version, by: deliver), isOwn: false)
  }

  /// Ends the delivery of a change, and does the work that other threads have left to the delivering
  /// thread.
  @inlinable final func endDelivering(on thread: CurrentThread) {
    lock.lock()
    let detached = stopDelivering(on: thread)
    lock.unlock()
    detached?.release()
  }

  /// Makes the channel idle, and does the work that other threads have left to the delivering thread. The
  /// caller must hold the channel's lock.
  ///
  /// - Returns: The objects that the caller has to release after unlocking, if any.
  @inlinable final func stopDelivering(on thread: CurrentThread) -> Detached? {
    let hasCleaned = deliverer.hasCleaned
    deliverer = Deliverer()
    let hasMore = hasCleaned || isClosed || anyAttachments?.use { $0.left != nil } ?? false
    return hasMore ? deliverWhatIsLeft(hasCleaned: hasCleaned, on: thread) : nil
  }

  /// Schedules the delivery of the changes that were left, and removes cleaned observations. The caller must
  /// hold the channel's lock.
  @usableFromInline
  final func deliverWhatIsLeft(hasCleaned: Bool, on thread: CurrentThread) -> Detached {
    var detached = Detached()
    if hasCleaned {
      removeCleaned(into: &detached)
      if let region = anyAttachments?.use({ $0.region }) {
        region.forEachChannel { $0.removeCleaned(into: &detached) }
        detached.others = region.takeDetached()
      }
    }
    if isClosed { closeIfIdle(into: &detached) }
    if anyAttachments?.use({ $0.left != nil }) ?? false { thread.pointee.changesOfOthers &+= 1 }
    takeWhatIsLeft(on: thread)
    return detached
  }

  private final func removeCleaned(into detached: inout Detached) {
    AnyChannel.walk(stretch) { dust in
      if dust.isCleaned { unlink(dust, into: &detached) }
    }
    if !isObserved || isOwned { detached.unobserved.append(self) }
  }

  /// Removes all observations if no change is pending. The caller must hold the channel's lock.
  final func closeIfIdle(into detached: inout Detached) {
    guard isIdle, !mark.isWritten, !mark.waitsForDelivery else { return }
    while let first { unlink(first.takeUnretainedValue(), into: &detached) }
  }
}
