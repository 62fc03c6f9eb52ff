import Foundation

/// Wraps the socket functions that the loopback server needs.
enum Socket {
  /// Returns a socket that listens on a free port of 127.0.0.1.
  static func listening() throws -> (socket: Int32, port: UInt16) {
    let (listener, port) = try bound()
    guard listen(listener, 64) == 0 else { throw currentError }
    return (listener, port)
  }

  /// Returns a socket that occupies a free port of 127.0.0.1 and refuses all connections.
  static func bound() throws -> (socket: Int32, port: UInt16) {
    #if canImport(Glibc)
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isBound else { throw currentError }
    return (listener, UInt16(bigEndian: address.sin_port))
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

  /// Waits for bytes from the client. The result is empty if the client has closed the connection,
  /// and nil if the connection is broken.
  static func receive(from connection: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(connection, &buffer, buffer.count, 0)
    return count >= 0 ? Data(buffer[..<count]) : nil
  }

  /// Sends bytes to the client, and returns whether the client has accepted all bytes.
  @discardableResult
  static func send(_ data: Data, to connection: Int32) -> Bool {
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        Foundation.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static var currentError: POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }

  static func shutDown(_ listener: Int32) {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  static func close(_ socket: Int32) {
    Foundation.close(socket)
  }
}
