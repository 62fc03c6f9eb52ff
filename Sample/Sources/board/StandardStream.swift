import Foundation

/// The functions that write to the standard streams, and wait for them.
enum StandardStream {
  /// Writes a line, and returns the error number if the line can't be written.
  static func write(_ text: String, to stream: Int32) -> Int32? {
    var rest = Array("\(text)\n".utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(stream, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        waitUntilReady(stream, for: Int16(POLLOUT))
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  /// Waits for a stream that doesn't block.
  static func waitUntilReady(_ stream: Int32, for events: Int16) {
    var descriptor = pollfd(fd: stream, events: events, revents: 0)
    _ = poll(&descriptor, 1, -1)
  }
}
