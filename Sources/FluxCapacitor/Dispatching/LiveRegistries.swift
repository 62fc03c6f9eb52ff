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

  func insert(_ registry: Registry) {
    lock.withLock { registries[ObjectIdentifier(registry)] = registry }
  }

  func remove(_ registry: Registry) {
    _ = lock.withLock { registries.removeValue(forKey: ObjectIdentifier(registry)) }
  }
}
