import Foundation

/// A value that a lock protects.
///
/// This class replaces `Mutex`, because the thread sanitizer doesn't understand `Mutex`, and
/// reports false races.
package final class Protected<Value>: @unchecked Sendable {
  // `lock` guards `value`.
  private let lock = NSLock()
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
  }

  /// Calls a closure with the value, and keeps the lock. After this call, every thread that uses
  /// the value blocks until the process ends.
  ///
  /// - Parameter isStuck: A closure that returns whether to give up. While another thread uses the
  ///   value, this method calls the closure repeatedly.
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
