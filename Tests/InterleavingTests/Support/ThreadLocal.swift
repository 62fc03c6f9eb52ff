import Foundation

/// A number of which each thread has its own copy. Access to it is not a point for the scheduler.
final class ThreadLocal: Sendable {
  private let key = UUID().uuidString

  var value: Int {
    get { Thread.current.threadDictionary[key] as? Int ?? 0 }
    set { Thread.current.threadDictionary[key] = newValue }
  }
}
