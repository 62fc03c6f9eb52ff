/// What is under way on behalf of a dispatcher, for tests that wait until nothing is.
///
/// What leads to something else begins that before it ends itself; so once nothing is under way,
/// nothing will be by itself.
@usableFromInline
package final class Activity: @unchecked Sendable {
  // All guarded by `lock`.
  private let lock = Lock()
  @exclusivity(unchecked) private var running: [Int: @Sendable () -> String] = [:]
  @exclusivity(unchecked) private var waiting: [@Sendable () -> Void] = []
  @exclusivity(unchecked) private var lastNumber = 0

  /// Notes that something has begun.
  ///
  /// - Parameter describe: Says in a sentence what is under way, for somebody who waits in vain.
  /// - Returns: What is to be called when it has ended, once.
  @usableFromInline
  package func begin(_ describe: @escaping @Sendable () -> String) -> @Sendable () -> Void {
    let number = lock.withLock {
      lastNumber += 1
      running[lastNumber] = describe
      return lastNumber
    }
    return { [self] in end(number) }
  }

  private func end(_ number: Int) {
    var done: [@Sendable () -> Void] = []
    let ended = lock.withLock {
      defer { if running.isEmpty { swap(&done, &waiting) } }
      return running.removeValue(forKey: number)
    }
    withExtendedLifetime(ended) {}
    for body in done { body() }
  }

  /// Calls a closure when nothing is under way: now, or on the thread that ends the last of it.
  package func whenIdle(_ body: @escaping @Sendable () -> Void) {
    let isIdle = lock.withLock {
      if !running.isEmpty { waiting.append(body) }
      return running.isEmpty
    }
    if isIdle { body() }
  }

  /// A sentence for each thing that is under way, in the order in which they began.
  package var descriptions: [String] {
    let running = lock.withLock { self.running }
    return running.sorted { $0.key < $1.key }.map { $0.value() }
  }
}
