#if canImport(Darwin)
  import Darwin
#endif
import Foundation

/// A TCP socket for connections within this machine, with calls that never block.
struct Socket: Hashable, Sendable {
  let descriptor: Int32

  /// The error for a connection on which the other process no longer sends or receives.
  struct Closed: Error {}

  /// Returns a socket that accepts connections only from this machine.
  ///
  /// - Parameter port: The port, or 0 for any free port.
  static func listening(on port: UInt16) throws -> (socket: Socket, port: UInt16) {
    #if canImport(Darwin)
      let type = Darwin.SOCK_STREAM
    #elseif canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let socket = Socket(descriptor: Foundation.socket(AF_INET, type, 0))
    guard socket.descriptor >= 0 else { throw POSIXError.last }
    do {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      // With the `SO_REUSEADDR` option, connections of a terminated process don't block the port.
      socket.set(SO_REUSEADDR)
      socket.prepare()
      let error = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(socket.descriptor, address, size) + listen(socket.descriptor, 128)
            + getsockname(socket.descriptor, address, &size)
        }
      }
      guard error == 0 else { throw POSIXError.last }
      return (socket, UInt16(bigEndian: address.sin_port))
    } catch {
      socket.close()
      throw error
    }
  }

  /// Returns the next pending connection, or nil if no client is waiting.
  func accept() throws -> Socket? {
    while true {
      let connection = Foundation.accept(descriptor, nil, nil)
      if connection >= 0 {
        let socket = Socket(descriptor: connection)
        socket.prepare()
        return socket
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return nil
      default: throw POSIXError.last
      }
    }
  }

  /// Returns the bytes that have arrived, up to a maximum count, or an empty array if no byte has arrived.
  func receive(atMost count: Int) throws(Closed) -> [UInt8] {
    var received = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      received = recv(descriptor, buffer.baseAddress, count, 0)
      size = max(0, received)
    }
    if received > 0 { return bytes }
    if received < 0, errno == EAGAIN || errno == EINTR { return [] }
    throw Closed()
  }

  /// Sends as many bytes as possible without blocking, and returns the number of sent bytes.
  func send(_ bytes: Data) throws(Closed) -> Int {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    let sent = bytes.withUnsafeBytes {
      Foundation.send(descriptor, $0.baseAddress, $0.count, flags)
    }
    if sent >= 0 { return sent }
    if errno == EAGAIN || errno == EINTR { return 0 }
    throw Closed()
  }

  /// Tells the other process that no more bytes follow.
  func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Ends the connection in both directions. The descriptor stays open.
  func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  func close() { Foundation.close(descriptor) }

  /// Sets the socket's options. Calls don't block, child processes don't inherit the socket, and a closed
  /// connection raises no signal.
  private func prepare() {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      set(SO_NOSIGPIPE)
    #endif
  }

  private func set(_ option: Int32) {
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, option, &isOn, socklen_t(MemoryLayout<Int32>.size))
  }
}

extension POSIXError {
  /// The error of the last system call.
  static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
