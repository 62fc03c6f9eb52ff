import Foundation

/// A number that each thread has for itself; no point.
final class ThreadLocal: Sendable {
  private let key = UUID().uuidString

  var value: Int {
    get { Thread.current.threadDictionary[key] as? Int ?? 0 }
    set { Thread.current.threadDictionary[key] = newValue }
  }
}
