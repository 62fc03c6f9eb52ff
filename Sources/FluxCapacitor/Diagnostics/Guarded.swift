/// A value of the whole process under a lock that adds no steps to a scenario.
///
/// A `Mutex` would do, but the thread sanitizer doesn't see its handovers in code that is compiled for the sanitizer, and
/// reports races that don't exist.
package final class Guarded<Value: ~Copyable>: @unchecked Sendable {
  private let lock = Lock(isOfProcess: true)

  /// Access only under `lock`.
  private var value: Value

  package init(_ value: consuming Value) { self.value = value }

  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withUnscheduledLock { body(&value) }
  }
}
