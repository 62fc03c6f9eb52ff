import Synchronization

/// A flag that threads share. The scheduler can't switch threads at an access to the flag.
final class Flag: Sendable {
  private let atomic = Atomic(false)

  var isSet: Bool { atomic.load(ordering: .sequentiallyConsistent) }

  func set() { atomic.store(true, ordering: .sequentiallyConsistent) }
}
