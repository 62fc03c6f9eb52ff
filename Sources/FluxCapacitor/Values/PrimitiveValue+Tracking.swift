extension PrimitiveValue {
  /// Returns the value, and has Observation notified of the value's next change.
  ///
  /// - Parameter tracker: The tracker to which the read was reported.
  @usableFromInline func trackedValue(by tracker: Tracker) -> Element {
    let tracker = tracker.dust == nil ? install(tracker) : tracker
    return channel.isDerived
      ? channel.computed.value(andNoteIfAhead: tracker.dust) : channel.read()
  }

  private func install(_ tracker: Tracker) -> Tracker {
    tracker.install(
      in: { channel.regionChannel.lock.withLock { channel.ensureAttachments() } },
      isTemporary: channel.isOwned
    ) {
      // The channel owns the tracker, so the tracker lives as long as the channel.
      observe(on: .current, ignoreFirst: true) { [unowned channel, unowned tracker] _ in
        tracker.noteChange()
        channel.didNotifyTracker()
      }
    }
  }
}
