import Foundation

/// A number that each thread has its own copy of. The scheduler can't switch threads at an access to the
/// number.
final class ThreadLocal: Sendable {
  private let key = UUID().uuidString

  var value: Int {
    get { Thread.current.threadDictionary[key] as? Int ?? 0 }
    set { Thread.current.threadDictionary[key] = newValue }
  }
}
