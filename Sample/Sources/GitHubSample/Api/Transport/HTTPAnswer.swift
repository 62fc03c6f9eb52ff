import Foundation

/// What a server sent back.
package struct HTTPAnswer: Equatable, Sendable {
  package let status: Int
  package let body: Data

  /// The headers, by their names in lower case.
  private let headers: [String: String]

  package init(status: Int, headers: [String: String] = [:], body: Data) {
    self.status = status
    self.body = body
    self.headers = Dictionary(
      headers.map { ($0.key.lowercased(), $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  package func header(_ name: String) -> String? {
    headers[name.lowercased()]
  }

  /// The same answer with another text in the place of a secret, wherever that stands.
  ///
  /// - Complexity: O(n) in the length of the body, however often the secret is in it.
  func replacing(_ secret: String, with text: String) -> HTTPAnswer {
    let secretBytes = Data(secret.utf8)
    var cleaned = Data()
    var rest = body[...]
    while let range = rest.range(of: secretBytes) {
      cleaned += rest[..<range.lowerBound]
      cleaned += Data(text.utf8)
      rest = rest[range.upperBound...]
    }
    return HTTPAnswer(
      status: status,
      headers: headers.mapValues { $0.replacingOccurrences(of: secret, with: text) },
      body: cleaned + rest
    )
  }
}
