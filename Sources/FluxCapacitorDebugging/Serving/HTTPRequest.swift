import Foundation

/// The parts of an HTTP request that a ``LiveExplorer`` needs.
struct HTTPRequest: Sendable {
  let method: String
  let path: String
  private let headers: [String: [String]]

  /// The number of bytes of the body, which follow the head.
  let bodySize: Int
  var body = ""

  /// The error for a request that is invalid or too long.
  struct Malformed: Error {}

  /// The largest size of a request's head, and of a request's body, in bytes.
  static let mostBytes = 16_384

  /// Returns the range of the empty line after a request's head, or nil if the line hasn't arrived yet.
  ///
  /// - Parameter start: The index of the first byte that earlier calls haven't searched.
  static func head(of bytes: [UInt8], from start: Int) throws(Malformed) -> Range<Int>? {
    let end = Array("\r\n\r\n".utf8)
    if let head = bytes[max(0, start - 3)...].firstRange(of: end) { return head }
    guard bytes.count < mostBytes else { throw Malformed() }
    return nil
  }

  /// Parses the head of a request, without the empty line.
  init(head: some Collection<UInt8>) throws(Malformed) {
    var lines = String(decoding: head, as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[1].hasPrefix("/"), ["HTTP/1.1", "HTTP/1.0"].contains(words[2])
    else {
      throw Malformed()
    }
    var headers: [String: [String]] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), !line[..<colon].contains(where: \.isWhitespace)
      else { throw Malformed() }
      let value = line[line.index(after: colon)...].trimmingCharacters(
        in: .init(charactersIn: " \t")
      )
      headers[line[..<colon].lowercased(), default: []].append(value)
    }
    // The server doesn't support chunked bodies.
    guard headers["transfer-encoding"] == nil, headers["content-length"]?.count ?? 0 <= 1,
      let length = UInt16(headers["content-length"]?.first ?? "0"), length <= HTTPRequest.mostBytes,
      headers["content-length"]?.first?.first != "+"
    else { throw Malformed() }
    method = String(words[0])
    path = String(words[1])
    bodySize = Int(length)
    self.headers = headers
  }

  /// Returns the values of all headers with a given lowercase name.
  func values(of header: String) -> [String] { headers[header] ?? [] }
}

/// The response to a request. The server closes the connection after the response.
struct HTTPResponse: Sendable {
  let status: String
  var type = "text/plain; charset=utf-8"
  var body = Data()

  /// The file name under which a browser saves the body, or nil if the browser displays the body.
  var fileName: String?

  static let malformed = HTTPResponse(status: "400 Bad Request")
  static let forbidden = HTTPResponse(status: "403 Forbidden")
  static let notFound = HTTPResponse(status: "404 Not Found")
  static let wrongMethod = HTTPResponse(status: "405 Method Not Allowed")

  /// The response that begins a stream of events, which lasts until the connection ends.
  static let events = HTTPResponse(status: "200 OK", type: "text/event-stream")

  /// The bytes to send.
  var data: Data {
    var lines = [
      "HTTP/1.1 \(status)", "Connection: close", "Content-Type: \(type)", "Cache-Control: no-store",
      // The security headers keep other pages from learning the secret address, and from embedding or
      // reading the page.
      "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY",
      "Cross-Origin-Resource-Policy: same-origin",
    ]
    if type != HTTPResponse.events.type { lines.append("Content-Length: \(body.count)") }
    if let fileName {
      lines.append("Content-Disposition: attachment; filename=\"\(fileName)\"")
    }
    return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }
}
