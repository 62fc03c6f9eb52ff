import Foundation

/// A value behind a lock.
///
/// `Mutex` does the same, but the thread sanitizer can't see how it hands over, and reports races
/// that are none.
package final class Protected<Value>: @unchecked Sendable {
  // `value` is used under `lock` only.
  private let lock = NSLock()
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
  }

  /// Uses the value for the last time: later uses wait until the process ends.
  ///
  /// - Parameter isStuck: Whether to give up, called repeatedly while another thread uses it.
  func close(unless isStuck: () -> Bool, _ body: (inout Value) -> Void) {
    while !lock.lock(before: Date() + 0.01) {
      if isStuck() { return }
    }
    body(&value)
  }

  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
