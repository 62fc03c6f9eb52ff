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

  /// Reads standard input up to the end of the first line that isn't blank. The result is empty if the line is
  /// longer than an environment variable can be.
  static func readLine() -> String {
    var bytes: [UInt8] = []
    while let byte = readByte() {
      if byte != UInt8(ascii: "\n") {
        bytes.append(byte)
      } else if bytes.contains(where: { $0 > UInt8(ascii: " ") }) {
        break
      }
      if bytes.count > 131_072 { return "" }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits for a line of standard input. If the input has ended, this method never returns.
  @Sendable
  static func awaitEnter() async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        while true {
          if let byte = readByte() {
            if byte == UInt8(ascii: "\n") { return continuation.resume(returning: true) }
          } else if errno == EIO {
            // A process in the background can't read the terminal, until the user moves it to the foreground.
            sleep(1)
          } else {
            pause()
          }
        }
      }
    }
  }

  /// Waits for a byte of standard input, and returns nil at the end or after an error.
  private static func readByte() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      errno = 0
      let count = read(STDIN_FILENO, &byte, 1)
      if count == 1 { return byte }
      if count < 0, errno == EAGAIN {
        wait(for: POLLIN, on: STDIN_FILENO)
      } else if count == 0 || errno != EINTR {
        return nil
      }
    }
  }

  /// Writes a complete text, or throws an error.
  static func write(_ text: String, to stream: Int32) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(stream, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        wait(for: POLLOUT, on: stream)
      } else if errno != EINTR {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    }
  }

  /// Waits for a stream that doesn't block.
  private static func wait(for event: some BinaryInteger, on stream: Int32) {
    var descriptor = pollfd(fd: stream, events: Int16(event), revents: 0)
    _ = poll(&descriptor, 1, -1)
  }
}
