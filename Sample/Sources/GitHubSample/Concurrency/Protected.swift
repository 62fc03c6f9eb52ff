import Foundation

/// A value that a lock protects.
///
/// `Mutex` does the same, but the thread sanitizer can't see how it hands over, and reports false
/// races.
package final class Protected<Value>: @unchecked Sendable {
  // `value` is used under `lock` only.
  private let lock = NSLock()
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
  }

  /// Calls a closure with the value for the last time. Later uses wait until the process ends.
  ///
  /// - Parameter isStuck: Returns whether to give up. It is called repeatedly while another thread
  ///   uses the value.
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
