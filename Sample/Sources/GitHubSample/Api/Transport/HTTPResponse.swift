import Foundation

/// An HTTP response with any status.
package struct HTTPResponse: Equatable, Sendable {
  package let status: Int
  package let body: Data

  /// The values of the headers. The keys are the headers' lowercase names.
  private let headers: [String: String]

  package init(status: Int, headers: [AnyHashable: Any] = [:], body: Data) {
    self.status = status
    self.body = body
    self.headers = Dictionary(
      headers.map { ("\($0.key)".lowercased(), "\($0.value)") },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Returns the response without the token, which a server might repeat in a message. Logs, pages and saved lists
  /// contain parts of the response.
  ///
  /// JSON on the web is UTF-8, which has no byte 0. Foundation would also read UTF-16, in which no token is found, so
  /// a body with such a byte is dropped.
  func redacted(by redaction: Redaction) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: headers.mapValues { redaction($0) },
      body: body.contains(0) ? Data() : redaction(body)
    )
  }

  package func header(_ name: String) -> String? {
    headers[name.lowercased()]
  }
}
