import Observation
import Synchronization

/// Tells whether a read happens inside `withObservationTracking`, at the price of asking for a local
/// variable of the thread.
///
/// Observation has no call for that. But inside, and only there, it hashes the key path of each access
/// that it is told of; so this tells it of one whose key path notes that it is hashed. Otherwise every
/// constant would need a registrar as soon as it is read, and every set would have to consult it.
final class Tracking: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let path: any KeyPath<Tracking, Void> & Sendable = \Tracking[Question()]

  /// Notes that it is hashed.
  private struct Question: Hashable, Sendable {
    static func == (left: Question, right: Question) -> Bool { true }

    func hash(into hasher: inout Hasher) { Tracking.hashes.add(1, ordering: .relaxed) }
  }

  private subscript(_: Question) -> Void { () }

  /// How often the key path was hashed, by any thread: that another one tracks just now may be taken
  /// for one's own tracking, which does no harm, but never the other way round.
  private static let hashes = Atomic(0)

  /// The one instance, once there is one: reading a lazy global would take as long as all the rest.
  private static let instance = Atomic<Unmanaged<Tracking>?>(nil)
  private static let shared = Tracking()

  static var isActive: Bool {
    let before = hashes.load(ordering: .relaxed)
    (instance.load(ordering: .acquiring) ?? make())._withUnsafeGuaranteedRef { tracking in
      tracking.registrar.access(tracking, keyPath: tracking.path)
    }
    return hashes.load(ordering: .relaxed) != before
  }

  private static func make() -> Unmanaged<Tracking> {
    // It is never let go of.
    let tracking = Unmanaged.passUnretained(shared)
    instance.store(tracking, ordering: .releasing)
    return tracking
  }
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
  /// Has Observation know of the present read, if it wants to.
  @usableFromInline
  func trackRead() {
    guard Tracking.isActive else { return }
    channel.tracker { tracker in
      observe(on: .current, ignoreFirst: true) { _ in tracker.noteChange() }
    }.noteAccess()
  }
}

extension Channel {
  /// The channel's tracker, which is made to observe it if there is none yet.
  fileprivate final func tracker(observing observe: (Tracker) -> Dust) -> Tracker {
    if let tracking = lock.withLock({ backlog?.tracking }) { return tracking.tracker }
    let tracker = Tracker()
    let dust = observe(tracker)
    let known: (tracker: Tracker, dust: Dust)? = lock.withLock {
      let backlog = self.backlog ?? Backlog()
      self.backlog = backlog
      if backlog.tracking == nil { backlog.tracking = (tracker, dust) }
      return backlog.tracking
    }
    guard let known, known.tracker !== tracker else { return tracker }
    // Another thread was faster, and its tracker observes by now.
    dust.clean()
    return known.tracker
  }
}
