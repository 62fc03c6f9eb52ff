/// The registry of every dispatcher alive, so that a store finds the one that it registered with.
///
/// A dispatcher enters its registry when it is made, and takes it out at its end. It is not held
/// weakly: that would make counting each reference to the dispatcher three times as long.
final class LiveRegistries: @unchecked Sendable {
  static let shared = LiveRegistries()

  // `registries` is guarded by `lock`.
  private let lock = Lock()
  @exclusivity(unchecked) private var registries: [ObjectIdentifier: Registry] = [:]

  var all: [Registry] {
    lock.withLock { Array(registries.values) }
  }

  /// Whether another thread reduces, or runs a transaction, at one of these or, if there are none, at
  /// any.
  func isTurnHeld(of some: [ObjectIdentifier], besides thread: UInt32) -> Bool {
    func isHeld(_ registry: Registry) -> Bool {
      registry.turn.isHeldForUser && !registry.turn.isHeld(by: thread)
    }
    return lock.withLock {
      some.isEmpty
        ? registries.values.contains(where: isHeld)
        : some.contains { registries[$0].map(isHeld) ?? false }
    }
  }

  func insert(_ registry: Registry) {
    lock.withLock { registries[ObjectIdentifier(registry)] = registry }
  }

  func remove(_ registry: Registry) {
    _ = lock.withLock { registries.removeValue(forKey: ObjectIdentifier(registry)) }
  }
}
