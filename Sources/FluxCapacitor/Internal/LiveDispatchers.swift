/// Every dispatcher alive, so that a store finds the one that it registered with.
final class LiveDispatchers: @unchecked Sendable {
  static let shared = LiveDispatchers()

  // `dispatchers` is guarded by `lock`.
  private let lock = Lock()
  @exclusivity(unchecked) private var dispatchers: [ObjectIdentifier: WeakDispatcher] = [:]

  private struct WeakDispatcher {
    weak let dispatcher: Dispatcher?
  }

  var all: [Dispatcher] {
    lock.withLock { dispatchers.values.compactMap(\.dispatcher) }
  }

  func insert(_ dispatcher: Dispatcher) {
    lock.withLock {
      dispatchers[ObjectIdentifier(dispatcher)] = WeakDispatcher(dispatcher: dispatcher)
    }
  }

  func remove(_ identity: ObjectIdentifier) {
    _ = lock.withLock { dispatchers.removeValue(forKey: identity) }
  }
}
