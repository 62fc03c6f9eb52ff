@preconcurrency import Foundation

/// The three standard streams of the process.
package enum StandardStreams {
  /// Opens a substitute for each closed standard stream. Call this method before you open any file
  /// or socket.
  ///
  /// Without a substitute, the next socket could become standard output. Writing to a substitute
  /// fails.
  package static func fillGaps() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
      // `open` uses the lowest free descriptor, which is the closed stream's descriptor.
      _ = open("/dev/null", O_RDONLY)
    }
  }

  /// The width of the terminal in columns, or nil if standard output is not a terminal or reports
  /// no width.
  static var outputWidth: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Returns whether writing to standard output or standard error would block now.
  package static func areStuck() -> Bool {
    var streams = [STDOUT_FILENO, STDERR_FILENO].map {
      pollfd(fd: $0, events: Int16(POLLOUT), revents: 0)
    }
    return poll(&streams, nfds_t(streams.count), 0) < streams.count
  }

  /// Reads standard input up to the end of the first line that isn't blank. This method reads at
  /// most 4,096 bytes, which is longer than any token.
  static func readLine() -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < 4_096 {
      let count = read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { break }
      if byte != UInt8(ascii: "\n") {
        bytes.append(byte)
      } else if bytes.contains(where: { $0 > UInt8(ascii: " ") }) {
        break
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits for a line of standard input. If the input has ended, this method never returns.
  @Sendable
  static func awaitEnter() async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var byte: UInt8 = 0
        while byte != UInt8(ascii: "\n") {
          let count = read(STDIN_FILENO, &byte, 1)
          if count == 0 || (count < 0 && errno != EINTR) { pause() }
        }
        continuation.resume(returning: true)
      }
    }
  }

  /// Writes a complete text, or throws an error. If the reader of standard output has closed the
  /// pipe, SIGPIPE ends the process, as with other commands.
  static func write(_ text: String, to stream: Int32) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(stream, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var descriptor = pollfd(fd: stream, events: Int16(POLLOUT), revents: 0)
        _ = poll(&descriptor, 1, -1)
      } else if errno == EPIPE, stream == STDOUT_FILENO {
        Signals.terminate(by: SIGPIPE)
      } else if errno != EINTR {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    }
  }
}
