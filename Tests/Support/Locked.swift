import Foundation

/// A value that any thread can read and change.
///
/// The value uses an `NSLock`, because the thread sanitizer reports false races for a `Mutex`.
package final class Locked<Value>: @unchecked Sendable {
  // `lock` guards `storage`.
  private let lock = NSLock()
  private var storage: Value

  package init(_ value: sending Value) { storage = value }

  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&storage) }
  }
}

extension Locked where Value: Sendable {
  package var value: Value { withLock { $0 } }

  package func set(_ value: Value) { withLock { $0 = value } }
}
