import Observation

/// Detects reads inside `withObservationTracking`, at the cost of a thread-local lookup.
///
/// Observation has no API for that. But inside tracking, and only there, it hashes the key path of
/// each access that it is notified of. So the detector notifies it of an access with a key path
/// that notes its own hashing. Otherwise, every constant would need a registrar as soon as it is
/// read, and every write would have to consult the registrar.
///
/// Each thread has its own instance, which no other thread uses.
@usableFromInline final class TrackingDetector: AnyReadDetector, Observable, @unchecked Sendable {
  private let registrar = ObservationRegistrar()
  private let path: any KeyPath<TrackingDetector, Void> & Sendable = \TrackingDetector[HashProbe()]

  /// The number of times that the key path was hashed.
  @exclusivity(unchecked) private var hashes = 0

  /// The number of reads that were tracked through this instance.
  @exclusivity(unchecked) private var reads = 0

  /// The thread's previous instance.
  @exclusivity(unchecked) private var previous: TrackingDetector?

  private init(after previous: TrackingDetector?) {
    self.previous = previous
    previous?.previous = nil
  }

  /// Counts how often it is hashed.
  private struct HashProbe: Hashable, Sendable {
    static func == (left: HashProbe, right: HashProbe) -> Bool { true }

    func hash(into hasher: inout Hasher) { TrackingDetector.current?.use { $0.hashes &+= 1 } }
  }

  private subscript(_: HashProbe) -> Void { () }

  /// The current thread's instance, if it has one.
  private static var current: Unmanaged<TrackingDetector>? {
    // Nothing else is ever stored there.
    CurrentThread.current.pointee.tracking.map { .fromOpaque($0.toOpaque()) }
  }

  @usableFromInline static var isActive: Bool {
    let tracking = current ?? renew()
    return tracking.use { $0.isTracked }
  }

  private var isTracked: Bool {
    let before = hashes
    registrar.access(self, keyPath: path)
    guard hashes != before else { return false }
    reads += 1
    if reads == TrackingDetector.readsPerInstance { _ = TrackingDetector.renew() }
    return true
  }

  /// Gives the thread a new instance.
  ///
  /// While tracking, each registrar that is accessed keeps the reader's `onChange` closure until
  /// its next change, and this registrar never changes. So an instance is replaced after a number
  /// of reads, which releases those closures. An instance must outlive the tracking in which it was
  /// accessed, so it is kept until its successor is replaced too.
  private static func renew() -> Unmanaged<TrackingDetector> {
    let previous = current?.takeRetainedValue()
    let tracking = Unmanaged.passRetained(TrackingDetector(after: previous))
    CurrentThread.current.pointee.tracking = .fromOpaque(tracking.toOpaque())
    return tracking
  }

  /// The number of values that one tracking can read without leaving closures in memory.
  private static let readsPerInstance = 256
}
