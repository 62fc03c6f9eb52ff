extension AnyChannel {
  /// Adds an observation at the end of the ring. The caller must hold the region's lock.
  @inlinable final func link(_ dust: Dust, since version: Version) {
    let own = Unmanaged.passRetained(dust)
    let (next, previous) = (firstObservation ?? own, firstObservation?.use { $0.previous } ?? own)
    (dust.since, dust.channel) = (version, self)
    (dust.next, dust.previous) = (next, previous)
    previous.use { $0.next = own }
    next.use { $0.previous = own }
    if firstObservation == nil { firstObservation = own }
  }

  /// Calls a closure with each observation in a part of the ring. The closure may remove the observation
  /// that the closure receives.
  @inlinable static func walk(_ stretch: Stretch, _ body: (Dust) -> Void) {
    guard var dust = stretch.first else { return }
    while true {
      // Don't read the `next` of the last observation, because another thread might be appending to the
      // ring.
      let isLast = dust.toOpaque() == stretch.last?.toOpaque()
      let next = isLast ? nil : dust.use { $0.next }
      dust.use(body)
      guard let next else { return }
      dust = next
    }
  }

  /// The first and the last observation of a part of the ring, which the delivering thread walks without the
  /// lock.
  @usableFromInline typealias Stretch = (first: Unmanaged<Dust>?, last: Unmanaged<Dust>?)

  /// The part of the ring that contains all current observations. The caller must hold the region's lock.
  @inlinable final var stretch: Stretch {
    (firstObservation, firstObservation?.use { $0.previous })
  }

  /// Removes an observation from the ring, and moves the ring's reference into `detached`. An observation
  /// that has already left the ring is ignored. The caller must hold the region's lock.
  private final func unlink(_ dust: Dust, into detached: inout Detached) {
    let own = Unmanaged.passUnretained(dust)
    guard let next = dust.next, let previous = dust.previous else { return }
    previous.use { $0.next = next }
    next.use { $0.previous = previous }
    let isAlone = next.toOpaque() == own.toOpaque()
    if firstObservation?.toOpaque() == own.toOpaque() { firstObservation = isAlone ? nil : next }
    dust.next = nil
    detached.push(dust)
  }

  /// Removes a cleaned observation immediately or, during a delivery, at the end of that delivery.
  ///
  /// The deinit of a value that a mutation discards can call this method. Inside a mutation, this thread
  /// must not wait for the region's lock. The thread that holds the region's lock might be waiting for
  /// the lock of the mutated variable.
  final func remove(_ dust: Dust) {
    let thread = CurrentThread.current
    guard thread.pointee.openMutations == 0 else {
      return deferUntilUnlocked(on: thread) { $0.remove(dust) }
    }
    var detached = Detached()
    let region = regionChannel
    let hasDependents = region.lock.withLock {
      if region.deliverer.isDelivering {
        region.deliverer.hasCleaned = true
      } else {
        unlink(dust, into: &detached)
      }
      return self.hasDependents
    }
    // Until the release, another thread that cleans the Dust finds the channel, and waits here for this thread.
    if !hasDependents || isOwned { observersMayHaveLeft() }
    detached.releaseUnlocked(by: self, on: thread)
  }

  /// Defers an action until this thread holds no lock. Afterward, the thread performs the action as part of its pending
  /// deliveries.
  final func deferUntilUnlocked(
    on thread: CurrentThread,
    do action: @escaping @Sendable (AnyChannel) -> Void
  ) {
    let place = Place(to: self) { channel, _, _ in
      // The downcast is safe because this channel is the closure's first argument.
      action(unsafeDowncast(channel, to: AnyChannel.self))
    }
    thread.append(place, isOwn: false)
  }

  /// Removes the observations that were cleaned during a delivery. The caller must hold the region's lock.
  final func removeCleaned(into detached: inout Detached) {
    AnyChannel.walk(stretch) { dust in
      if dust.isCleaned { unlink(dust, into: &detached) }
    }
    if !hasDependents || isOwned { detached.unobserved.append(self) }
  }

  /// Removes all observations if no change is pending. The caller must hold the channel's lock.
  final func closeIfIdle(into detached: inout Detached) {
    guard isIdle, !pendingWrite.isWritten, !pendingWrite.waitsForDelivery else { return }
    while let first = firstObservation { unlink(first.takeUnretainedValue(), into: &detached) }
  }
}
