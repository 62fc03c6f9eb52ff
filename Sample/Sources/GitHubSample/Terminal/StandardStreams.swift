@preconcurrency import Foundation

/// The three streams that a process begins with.
package enum StandardStreams {
  /// Opens a substitute for each stream that is closed. Call it before anything else is opened.
  ///
  /// Otherwise the next socket would be standard output. Writing to the substitute fails.
  package static func fillGaps() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
      // The lowest number that is free is this one.
      _ = open("/dev/null", O_RDONLY)
    }
  }

  /// How many columns the terminal has, if standard output is one that reports it.
  static var outputWidth: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Whether writing to standard output or standard error would block at present.
  package static func areStuck() -> Bool {
    var streams = [STDOUT_FILENO, STDERR_FILENO].map {
      pollfd(fd: $0, events: Int16(POLLOUT), revents: 0)
    }
    return poll(&streams, nfds_t(streams.count), 0) < streams.count
  }

  /// Reads the first line of standard input that isn't blank, up to a length that no token has.
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

  /// Waits for a line; where there is no more input, until the process ends.
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

  /// Writes all of a text, or throws. If nobody reads standard output any more, the process ends as
  /// others do: by SIGPIPE.
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
