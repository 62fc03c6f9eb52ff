import Synchronization

final class Flag: Sendable {
  private let isSet = Atomic(false)

  /// Sets the flag, and returns whether this call is the first.
  func set() -> Bool { !isSet.exchange(true, ordering: .relaxed) }
}
