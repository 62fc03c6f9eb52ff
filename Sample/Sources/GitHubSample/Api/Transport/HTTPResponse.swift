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

  /// Returns the response with `<token>` in place of a token, which a server might repeat in a message.
  ///
  /// Logs, pages and saved lists contain parts of the response. As in the console's lines, a token of less than
  /// 8 bytes stays, because it might be an ordinary word.
  func redacting(_ token: AccessToken) -> HTTPResponse {
    guard token.secret.utf8.count >= 8 else { return self }
    var body = body
    while let range = body.range(of: Data(token.secret.utf8)) {
      body.replaceSubrange(range, with: Data("<token>".utf8))
    }
    return HTTPResponse(
      status: status,
      headers: headers.mapValues { $0.replacing(token.secret, with: "<token>") },
      body: body
    )
  }

  package func header(_ name: String) -> String? {
    headers[name.lowercased()]
  }
}
