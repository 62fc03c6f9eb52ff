import FluxCapacitorTestSupport
import Foundation

extension Socket {
  /// Returns a socket that listens on a free port of 127.0.0.1.
  static func listening() throws -> (socket: Int32, port: UInt16) {
    let (listener, port) = try bound()
    guard listen(listener, 64) == 0 else { throw currentError }
    return (listener, port)
  }

  /// Returns a socket that occupies a free port of 127.0.0.1 and refuses all connections.
  static func bound() throws -> (socket: Int32, port: UInt16) {
    try make(port: 0) { bind($0, $1, $2) == 0 && getsockname($0, $1, &$2) == 0 }
  }

  /// Waits for a connection, and returns the connection's socket. The result is nil if the listener
  /// has been shut down.
  static func accept(_ listener: Int32) -> Int32? {
    while true {
      let connection = Foundation.accept(listener, nil, nil)
      if connection >= 0 { return connection }
      guard errno == EINTR || errno == ECONNABORTED else { return nil }
    }
  }

  static func shutDown(_ listener: Int32) {
    shutdown(listener, Int32(SHUT_RDWR))
  }
}
