extension Registry {
  /// The registry of every dispatcher that is alive, so that a store finds the one that it registered with.
  static let live = Live()

  /// It holds registries strongly, until their dispatchers go: a weak reference would make counting each
  /// reference three times as slow.
  final class Live: @unchecked Sendable {
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
}
