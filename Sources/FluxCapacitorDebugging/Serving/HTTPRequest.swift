import Foundation

/// A request, as far as a ``LiveExplorer`` needs to know it.
struct HTTPRequest: Sendable {
  let method: String
  let path: String
  let body: String
  private let headers: [String: [String]]

  /// What is no request, or more than anybody has reason to send.
  struct Malformed: Error {}

  /// How many bytes a request may have.
  static let mostBytes = 16_384

  /// Finds the end of the head of a request; nil if that has not come yet.
  ///
  /// - Parameter start: Where what has not been looked at begins.
  static func head(of bytes: [UInt8], from start: Int) throws(Malformed) -> Range<Int>? {
    let end = Array("\r\n\r\n".utf8)
    if let head = bytes[max(0, start - 3)...].firstRange(of: end) { return head }
    guard bytes.count < mostBytes else { throw Malformed() }
    return nil
  }

  /// Reads the request that some bytes begin with; nil if they are only a part of it.
  ///
  /// - Parameter head: The end of its head.
  init?(_ bytes: [UInt8], _ head: Range<Int>) throws(Malformed) {
    var lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self)
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
    // A body in pieces is more of HTTP than this needs.
    guard headers["transfer-encoding"] == nil, headers["content-length"]?.count ?? 0 <= 1,
      let length = UInt16(headers["content-length"]?.first ?? "0"), length <= HTTPRequest.mostBytes,
      headers["content-length"]?.first?.first != "+"
    else { throw Malformed() }
    let body = bytes[head.upperBound...]
    guard body.count >= Int(length) else { return nil }
    method = String(words[0])
    path = String(words[1])
    self.headers = headers
    self.body = String(decoding: body.prefix(Int(length)), as: UTF8.self)
  }

  /// The values of a header, one for each time that it stands there.
  func values(of header: String) -> [String] { headers[header] ?? [] }
}

/// What is sent for a request. The connection is closed behind it.
struct HTTPResponse: Sendable {
  let status: String
  var type = "text/plain; charset=utf-8"
  var body = Data()

  /// The name under which a browser saves it, if it does not show it.
  var fileName: String?

  static let malformed = HTTPResponse(status: "400 Bad Request")
  static let forbidden = HTTPResponse(status: "403 Forbidden")
  static let notFound = HTTPResponse(status: "404 Not Found")
  static let wrongMethod = HTTPResponse(status: "405 Method Not Allowed")

  /// Events, which follow until the connection ends.
  static let events = HTTPResponse(status: "200 OK", type: "text/event-stream")

  /// The bytes to send.
  var data: Data {
    var lines = [
      "HTTP/1.1 \(status)", "Connection: close", "Content-Type: \(type)", "Cache-Control: no-store",
      // The address is secret: no other page learns it, embeds this one, or reads it.
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
