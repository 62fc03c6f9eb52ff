import Observation

/// Stands for a channel whose value was read inside `withObservationTracking`.
///
/// It observes the channel like any other observer, and notifies Observation of each change.
@usableFromInline
final class Tracker: Observable, Sendable {
  private static let path: any KeyPath<Tracker, Void> & Sendable = \Tracker.value

  private let registrar = ObservationRegistrar()

  private var value: Void { () }

  func noteAccess() {
    registrar.access(self, keyPath: Tracker.path)
  }

  func noteChange() {
    registrar.withMutation(of: self, keyPath: Tracker.path) {}
  }
}

extension PrimitiveValue {
  /// The value, of whose next change Observation is notified.
  @usableFromInline
  func trackedValue() -> Element {
    let (tracker, dust) = channel.tracking { tracker in
      observe(on: .current, ignoreFirst: true) { _ in tracker.noteChange() }
    }
    tracker.noteAccess()
    return channel.isDerived ? channel.value(joinedBy: dust) : channel.read()
  }
}

extension Channel {
  /// The channel's tracker, which is created and subscribed if there is none yet.
  fileprivate final func tracking(
    observing observe: (Tracker) -> Dust
  ) -> (tracker: Tracker, dust: Dust) {
    acquire()
    let former = backlog?.tracking
    lock.unlock()
    if let former { return (unsafeDowncast(former.tracker, to: Tracker.self), former.dust) }
    let tracker = Tracker()
    let dust = observe(tracker)
    let known = lock.withLock {
      let backlog = existingBacklog()
      if backlog.tracking == nil { backlog.tracking = (tracker, dust) }
      return backlog.tracking
    }
    guard let known, known.tracker !== tracker else { return (tracker, dust) }
    // Another thread was faster, and its tracker is already subscribed.
    dust.clean()
    return (unsafeDowncast(known.tracker, to: Tracker.self), known.dust)
  }
}
