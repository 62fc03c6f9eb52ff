import Observation

/// Finds out whether a read happens inside `withObservationTracking`, at the price of asking for a local
/// variable of the thread.
///
/// Observation has no call for that. But inside, and only there, it hashes the key path of each access
/// that it is told of; so this tells it of one whose key path notes that it is hashed. Otherwise every
/// constant would need a registrar as soon as it is read, and every set would have to consult it.
///
/// Each thread has its own, and nobody but that thread touches it.
@usableFromInline
final class Tracking: Observable, @unchecked Sendable {
  private let registrar = ObservationRegistrar()
  private let path: any KeyPath<Tracking, Void> & Sendable = \Tracking[Question()]

  /// How often the key path was hashed.
  @exclusivity(unchecked) private var hashes = 0

  /// How many reads were tracked through it.
  @exclusivity(unchecked) private var reads = 0

  /// The one that the thread had before.
  @exclusivity(unchecked) private var former: Tracking?

  private init(after former: Tracking?) {
    self.former = former
    former?.former = nil
  }

  /// Notes that it is hashed.
  private struct Question: Hashable, Sendable {
    static func == (left: Question, right: Question) -> Bool { true }

    func hash(into hasher: inout Hasher) {
      Tracking.ofThread?._withUnsafeGuaranteedRef { $0.hashes &+= 1 }
    }
  }

  private subscript(_: Question) -> Void { () }

  /// That of the current thread, if it has one.
  private static var ofThread: Unmanaged<Tracking>? {
    // Nothing else is ever put there.
    CurrentThread.current.pointee.tracking.map { .fromOpaque($0.toOpaque()) }
  }

  @usableFromInline static var isActive: Bool {
    let tracking = ofThread ?? renew()
    return tracking._withUnsafeGuaranteedRef { $0.isTracked }
  }

  private var isTracked: Bool {
    let before = hashes
    registrar.access(self, keyPath: path)
    guard hashes != before else { return false }
    reads += 1
    if reads == Tracking.readsOfOne { _ = Tracking.renew() }
    return true
  }

  /// Gives the thread a fresh one.
  ///
  /// Observation keeps what the reader wants to have done at the next change with each registrar that it
  /// has met, until then. So each goes when it has met some, and with it what will never be done. But it
  /// must not go before the tracking that it is met in has ended: it stays until the next one goes.
  private static func renew() -> Unmanaged<Tracking> {
    let former = ofThread?.takeRetainedValue()
    let tracking = Unmanaged.passRetained(Tracking(after: former))
    CurrentThread.current.pointee.tracking = .fromOpaque(tracking.toOpaque())
    return tracking
  }

  /// As many as one tracking may read and leave nothing behind.
  private static let readsOfOne = 256
}
