import Foundation

/// Wraps the functions of the system for sockets on this machine.
package enum Socket {
  /// Creates a TCP socket, and calls a closure with the socket and an address of 127.0.0.1.
  ///
  /// - Parameter body: A closure that connects or binds the socket, and returns whether this succeeded. The
  ///   closure can change the address.
  package static func make(
    port: UInt16,
    _ body: (Int32, UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Bool
  ) throws -> (socket: Int32, port: UInt16) {
    #if canImport(Glibc)
      let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isDone = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body(socket, $0, &length) }
    }
    guard isDone else { throw currentError }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Waits for bytes from the other end. The result is empty if the other end has closed the connection,
  /// and nil if the connection is broken.
  package static func receive(from socket: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &buffer, buffer.count, 0)
    return count >= 0 ? Data(buffer[..<count]) : nil
  }

  /// Sends bytes to the other end, and returns whether the other end has accepted all bytes.
  @discardableResult
  package static func send(_ data: Data, to socket: Int32) -> Bool {
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        Foundation.send(socket, bytes.baseAddress, bytes.count, flags)
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  package static func close(_ socket: Int32) {
    Foundation.close(socket)
  }

  package static var currentError: POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }

  #if canImport(Darwin)
    private static let flags: Int32 = 0
  #else
    private static let flags = Int32(MSG_NOSIGNAL)
  #endif
}
