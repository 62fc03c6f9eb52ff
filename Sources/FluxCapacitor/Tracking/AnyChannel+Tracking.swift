extension AnyChannel {
  /// The channel's tracker, if the channel has one. The reference is unretained, because the tracker lives as
  /// long as the channel.
  final var tracker: Unmanaged<Tracker>? {
    extrasWord.extras?.use { $0.companion.map { .fromOpaque($0.toOpaque()) } }
  }

  /// Whether a tracked read might still wait for the channel's next change.
  final var isAwaited: Bool { tracker?.use { $0.isAwaited } ?? false }

  /// Reports a read of a variable's channel to Observation. If Observation tracks the read, it is notified of
  /// the channel's next change.
  ///
  /// - Returns: Whether the read counts as tracked.
  @usableFromInline @discardableResult final func trackRead() -> Bool {
    let thread = currentThread()
    // Only `addSpare` sets `spareTracker`, so the object is always a `Tracker`.
    let known = self.tracker
    let tracker =
      known ?? .fromOpaque((thread.pointee.spareTracker ?? Tracker.addSpare(to: thread)).toOpaque())
    guard tracker.use({ $0.noteAccess(on: thread) }) else { return false }
    guard known == nil else { return true }
    thread.pointee.spareTracker = nil
    tracker.takeRetainedValue().install(in: self, on: thread)
    return true
  }
}

extension Channel {
  /// Reports a read of a derived constant's channel to Observation.
  @inlinable final func trackDerivedRead() { derivedChannel.ownNode.trackRead() }
}

extension Node {
  /// Reports a read of the node's variables to Observation, which tracks either all reads of this thread or none
  /// of them.
  @usableFromInline func trackRead() {
    guard roots[0].reference.use({ $0.trackRead() }) else { return }
    for root in roots.dropFirst() { root.channel.trackRead() }
  }
}
