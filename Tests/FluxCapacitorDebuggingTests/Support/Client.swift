import FluxCapacitorTestSupport
import Foundation

/// A TCP connection over which a test sends arbitrary bytes to a server on this machine.
final class Client: Sendable {
  private let socket: Int32

  init(_ url: URL) throws {
    socket = try Socket.make(port: UInt16(url.port ?? 0)) { connect($0, $1, $2) == 0 }.socket
  }

  deinit { Socket.close(socket) }

  /// Sends bytes until all bytes are sent or the server disconnects. Returns whether all bytes are sent.
  @discardableResult
  func send(_ bytes: some Sequence<UInt8>) -> Bool { Socket.send(Data(bytes), to: socket) }

  /// Closes the sending direction of this connection.
  func endOutput() { shutdown(socket, Int32(SHUT_WR)) }

  /// Receives text until the given text has arrived or the server disconnects. Returns the received text.
  func receive(until text: String? = nil) -> String {
    var all = Data()
    while text.map({ all.range(of: Data($0.utf8)) == nil }) ?? true {
      guard let data = Socket.receive(from: socket), !data.isEmpty else { break }
      all += data
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Sends a request, and returns the status and the body of the response.
  static func ask(
    _ url: URL,
    _ method: String,
    _ path: String,
    headers: [String] = [],
    body: String = ""
  ) throws -> (status: String, body: String) {
    let host = "Host: 127.0.0.1:\(url.port ?? 0)"
    let lines =
      ["\(method) \(path) HTTP/1.1"]
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
}
