import Observation

/// Tells whether a read happens inside `withObservationTracking`, at the price of asking for a local
/// variable of the thread.
///
/// Observation has no call for that. But inside, and only there, it hashes the key path of each access
/// that it is told of; so this tells it of one whose key path notes that it is hashed. Otherwise every
/// constant would need a registrar as soon as it is read, and every set would have to consult it.
@usableFromInline
final class Tracking: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let path: any KeyPath<Tracking, Void> & Sendable = \Tracking[Question()]

  /// Notes that it is hashed.
  private struct Question: Hashable, Sendable {
    static func == (left: Question, right: Question) -> Bool { true }

    func hash(into hasher: inout Hasher) { CurrentThread.current.pointee.trackingHashes &+= 1 }
  }

  private subscript(_: Question) -> Void { () }

  @usableFromInline static var isActive: Bool {
    let thread = CurrentThread.current
    let before = thread.pointee.trackingHashes
    guard let tracking = thread.pointee.tracking else { return makeFirst(on: thread) }
    tracking._withUnsafeGuaranteedRef { $0.registrar.access($0, keyPath: $0.path) }
    guard thread.pointee.trackingHashes != before else { return false }
    replaceIfOld(on: thread)
    return true
  }

  private static func makeFirst(on thread: CurrentThread) -> Bool {
    thread.pointee.tracking = .passRetained(Tracking())
    return isActive
  }

  /// Observation keeps what the reader wants to have done at the next change with each registrar that it
  /// has met, until then. So each goes when it has met some, and with it what will never be done. But it
  /// must not go before the tracking that it is met in has ended: it stays until the next one goes.
  private static func replaceIfOld(on thread: CurrentThread) {
    thread.pointee.trackedReads += 1
    guard thread.pointee.trackedReads == readsOfOne else { return }
    thread.pointee.trackedReads = 0
    thread.pointee.formerTracking?.release()
    thread.pointee.formerTracking = thread.pointee.tracking
    thread.pointee.tracking = .passRetained(Tracking())
  }

  /// As many as one tracking may read and leave nothing behind.
  private static let readsOfOne = 256
}

/// What Observation knows a channel by whose value was read inside `withObservationTracking`.
///
/// It observes the channel, as anybody does, and passes each change on.
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
  /// The value, whose next change is passed on to Observation.
  @usableFromInline
  func trackedValue() -> Element {
    let (tracker, dust) = channel.tracking { tracker in
      observe(on: .current, ignoreFirst: true) { _ in tracker.noteChange() }
    }
    tracker.noteAccess()
    return channel.isDerived ? channel.derivedValue(rejoining: dust) : channel.read()
  }
}

extension Channel {
  /// The channel's tracker, which is made to observe it if there is none yet.
  fileprivate final func tracking(
    observing observe: (Tracker) -> Dust
  ) -> (tracker: Tracker, dust: Dust) {
    if let tracking = lock.withLock({ backlog?.tracking }) { return tracking }
    let tracker = Tracker()
    let dust = observe(tracker)
    let known: (tracker: Tracker, dust: Dust)? = lock.withLock {
      let backlog = self.backlog ?? Backlog()
      self.backlog = backlog
      if backlog.tracking == nil { backlog.tracking = (tracker, dust) }
      return backlog.tracking
    }
    guard let known, known.tracker !== tracker else { return (tracker, dust) }
    // Another thread was faster, and its tracker observes by now.
    dust.clean()
    return known
  }
}
