import Foundation

/// A value that any thread can set.
final class Protected<Value: Sendable>: @unchecked Sendable {
  // `lock` guards `storage`.
  private let lock = NSLock()
  private var storage: Value

  init(_ value: Value) { storage = value }

  var value: Value { lock.withLock { storage } }

  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&storage) } }

  func set(_ value: Value) { lock.withLock { storage = value } }
}
