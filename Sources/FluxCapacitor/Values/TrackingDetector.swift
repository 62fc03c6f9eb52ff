import Observation
import Synchronization

/// Detects reads inside `withObservationTracking`, at the cost of a thread-local lookup.
///
/// Observation has no API that detects tracking. Only inside tracking, Observation hashes the key path
/// of each access that is reported to a registrar. So the detector reports an access with a key path
/// that counts how often it is hashed. Without the detector, every constant would need a registrar as
/// soon as it is read. Without the detector, every write would also have to consult the registrar.
///
/// Observation doesn't promise to hash key paths. So a probe checks once per process that a tracked read
/// is detected. If the probe fails, every read counts as tracked, and therefore uses a registrar.
///
/// Each thread has its own detector, which no other thread uses.
@usableFromInline final class TrackingDetector: AnyReadDetector, Observable, @unchecked Sendable {
  private let registrar = ObservationRegistrar()
  private let path: any KeyPath<TrackingDetector, Void> & Sendable = \TrackingDetector[HashProbe()]

  /// The number of times that Observation has hashed the key path.
  @exclusivity(unchecked) private var hashes = 0

  /// The number of tracked reads that this detector has detected.
  @exclusivity(unchecked) private var reads = 0

  /// Whether the probe has failed, so that every read counts as tracked.
  @exclusivity(unchecked) private var isBlind = false

  /// The detector that this thread used before, kept until this detector is replaced too.
  @exclusivity(unchecked) private var previous: TrackingDetector?

  private init(after previous: TrackingDetector?) {
    self.previous = previous
    previous?.previous = nil
  }

  /// A subscript index that counts how often Observation hashes it.
  private struct HashProbe: Hashable, Sendable {
    static func == (left: HashProbe, right: HashProbe) -> Bool { true }

    func hash(into hasher: inout Hasher) {
      #if DEBUG
        if hashingIsIgnored.load(ordering: .relaxed) { return }
      #endif
      TrackingDetector.current?.use { $0.hashes &+= 1 }
    }
  }

  private subscript(_: HashProbe) -> Void { () }

  /// The current thread's detector, if the thread has one.
  private static var current: Unmanaged<TrackingDetector>? {
    // Only `renew` sets `tracking`, so `tracking` is always a detector.
    CurrentThread.current.pointee.tracking.map { .fromOpaque($0.toOpaque()) }
  }

  @usableFromInline static var isActive: Bool {
    let tracking = current ?? renew()
    return tracking.use { $0.isTracked }
  }

  private var isTracked: Bool {
    if isBlind { return true }
    guard accessIsHashed() else { return false }
    reads += 1
    if reads == TrackingDetector.readsPerInstance { _ = TrackingDetector.renew() }
    return true
  }

  /// Reports an access to Observation, and returns whether Observation has hashed the key path.
  private func accessIsHashed() -> Bool {
    let before = hashes
    registrar.access(self, keyPath: path)
    return hashes != before
  }

  /// Whether this process's version of Observation hashes the key path of a tracked access.
  private static let trackedAccessIsHashed = withObservationTracking {
    current?.use { $0.accessIsHashed() } ?? false
  } onChange: {
  }

  /// Gives the thread a new detector.
  ///
  /// Each registrar that a tracked read accesses keeps the reader's `onChange` closure until the
  /// registrar's next change. A detector's registrar never reports a change. So a thread replaces its
  /// detector after a fixed number of tracked reads, which releases the closures. A detector must
  /// outlive each tracking that uses its registrar. So the thread keeps a replaced detector until the
  /// next replacement.
  private static func renew() -> Unmanaged<TrackingDetector> {
    let previous = current?.takeRetainedValue()
    let tracking = Unmanaged.passRetained(TrackingDetector(after: previous))
    CurrentThread.current.pointee.tracking = .fromOpaque(tracking.toOpaque())
    // The probe uses this thread's detector.
    tracking.use { $0.isBlind = !trackedAccessIsHashed }
    return tracking
  }

  /// The number of tracked reads after which a thread replaces its detector.
  private static let readsPerInstance = 256
}

#if DEBUG
  /// Whether the detector ignores that key paths are hashed. A test sets this flag to simulate a version of
  /// Observation that doesn't hash key paths.
  package let hashingIsIgnored = Atomic<Bool>(false)
#endif
