import Foundation

/// A value behind a lock.
///
/// `Mutex` does the same, but hands over in a way that the thread sanitizer cannot see, and so gives
/// it false alarms.
package final class Protected<Value>: @unchecked Sendable {
  // `value` is used under `lock` only.
  private let lock = NSLock()
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
  }

  /// Uses the value for the last time: whoever wants it afterwards waits to the end of the process.
  ///
  /// - Parameter isStuck: Whether to give up, asked now and then while another thread has the value.
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
