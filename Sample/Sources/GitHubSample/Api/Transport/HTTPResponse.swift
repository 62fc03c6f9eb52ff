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

  package func header(_ name: String) -> String? {
    headers[name.lowercased()]
  }
}
