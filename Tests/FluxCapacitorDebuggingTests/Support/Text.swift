import Foundation

/// An output stream that stores the written text.
final class Text: TextOutputStream, @unchecked Sendable {
  // Guarded by `lock`.
  private let lock = NSLock()
  private var written = ""

  var all: String { lock.withLock { written } }
  var lines: [Substring] { all.split(separator: "\n") }

  func write(_ text: String) { lock.withLock { written += text } }
}
