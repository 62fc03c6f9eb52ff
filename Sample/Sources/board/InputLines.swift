import Foundation

/// The lines of standard input. Reading a line blocks the thread.
struct InputLines: Sequence, IteratorProtocol {
  private var bytes: [UInt8] = []
  private var rest = 0

  mutating func next() -> String? {
    var line: [UInt8] = []
    while true {
      if let end = bytes[rest...].firstIndex(of: UInt8(ascii: "\n")) {
        line += bytes[rest..<end]
        rest = end + 1
        return String(decoding: line, as: UTF8.self)
      }
      line += bytes[rest...]
      bytes = InputLines.read()
      rest = 0
      if bytes.isEmpty { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
    }
  }

  /// Waits for bytes. The result is empty at the end of the input, or after an error.
  private static func read() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
      if count >= 0 { return Array(bytes.prefix(count)) }
      if errno == EAGAIN {
        StandardStream.waitUntilReady(STDIN_FILENO, for: Int16(POLLIN))
      } else if errno != EINTR {
        return []
      }
    }
  }
}
