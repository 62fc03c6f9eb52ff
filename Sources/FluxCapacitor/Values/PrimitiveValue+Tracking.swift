extension PrimitiveValue {
  /// Returns the value. Observation is notified of its next change.
  @usableFromInline func trackedValue() -> Element {
    let (tracker, dust) = channel.tracking { tracker in
      observe(on: .current, ignoreFirst: true) { _ in tracker.noteChange() }
    }
    tracker.noteAccess()
    return channel.isDerived ? channel.computed.value(andNoteIfAhead: dust) : channel.read()
  }
}

extension Channel {
  /// Returns the channel's tracker, which is created and subscribed if there is none yet.
  fileprivate final func tracking(
    observing observe: (Tracker) -> Dust
  ) -> AnyAttachments.Tracking {
    regionChannel.acquire()
    let former = anyAttachments?.tracking
    regionChannel.lock.unlock()
    if let former { return former }
    let tracker = Tracker()
    let dust = observe(tracker)
    let tracking = regionChannel.lock.withLock {
      let attachments = ensureAttachments()
      if attachments.tracking == nil { attachments.tracking = (tracker, dust) }
      return attachments.tracking
    }
    // Another thread may have subscribed its tracker first.
    if let tracking, tracking.tracker !== tracker {
      dust.clean()
      return tracking
    }
    return (tracker, dust)
  }
}
