import Foundation
import Testing

/// A TCP connection over which a test sends arbitrary bytes to a server on this machine.
final class Client: Sendable {
  private let descriptor: Int32

  init(_ url: URL) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(url.port ?? 0).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit {
    close(descriptor)
  }

  /// Sends bytes until all bytes are sent or the server disconnects.
  func send(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { rest in
        Foundation.send(descriptor, rest.baseAddress, rest.count, Client.flags)
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Closes the sending direction of this connection.
  func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Receives text until the given text has arrived or the server disconnects. Returns the received text.
  func receive(until text: String? = nil) -> String {
    var all = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while text.map({ all.range(of: Data($0.utf8)) == nil }) ?? true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      all += buffer[..<count]
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Sends a request, and returns the status and the body of the response.
  static func ask(
    _ url: URL,
    _ method: String = "GET",
    _ path: String? = nil,
    headers: [String] = [],
    body: String = ""
  ) throws -> (status: String, body: String) {
    let host = "Host: 127.0.0.1:\(url.port ?? 0)"
    let lines =
      ["\(method) \(path ?? url.path + "/") HTTP/1.1"]
      + (headers.contains { $0.hasPrefix("Host:") } ? [] : [host]) + headers
      + (body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"])
    let client = try Client(url)
    client.send((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    let response = client.receive()
    let end = response.range(of: "\r\n\r\n")
    return (
      String(response.prefix { $0 != "\r\n" }.dropFirst("HTTP/1.1 ".count)),
      end.map { String(response[$0.upperBound...]) } ?? ""
    )
  }

  #if canImport(Darwin)
    private static let flags: Int32 = 0
  #else
    private static let flags = Int32(MSG_NOSIGNAL)
  #endif
}
