extension PrimitiveValue {
  /// Returns the value, and has Observation notified of the value's next change.
  @usableFromInline func trackedValue() -> Element {
    let (tracker, dust) = channel.tracking { tracker in
      observe(on: .current, ignoreFirst: true) { [unowned channel] _ in
        tracker.noteChange()
        channel.didNotifyTracker()
      }
    }
    tracker.noteAccess()
    return channel.isDerived ? channel.computed.value(andNoteIfAhead: dust) : channel.read()
  }
}

extension Channel {
  /// Returns the channel's tracker. If the channel has none, a new tracker is created and subscribed.
  fileprivate final func tracking(
    observing observe: (Tracker) -> Dust
  ) -> AnyAttachments.Tracking {
    regionChannel.acquire()
    let former = anyAttachments?.use { $0.tracking }
    regionChannel.lock.unlock()
    if let former { return former }
    let tracker = Tracker(isTemporary: isOwned)
    let dust = observe(tracker)
    let tracking = regionChannel.lock.withLock {
      let attachments = ensureAttachments()
      if attachments.tracking == nil { attachments.tracking = (tracker, dust) }
      return attachments.tracking
    }
    // Another thread might have subscribed a tracker for this channel first.
    if let tracking, tracking.tracker !== tracker {
      dust.clean()
      return tracking
    }
    return (tracker, dust)
  }
}
