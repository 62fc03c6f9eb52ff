import Foundation

/// The replacement of a secret by `<token>` in texts and responses.
struct Redaction: Sendable {
  private let secret: String
  private static let placeholder = "<token>"

  /// Creates the redaction of a secret, or nil for a secret of less than 8 bytes. Real tokens have at least 8
  /// bytes, and a short token for a local test server might be an ordinary word.
  init?(of secret: String) {
    guard secret.utf8.count >= 8 else { return nil }
    self.secret = secret
  }

  func callAsFunction(_ text: String) -> String { text.replacing(secret, with: Self.placeholder) }

  func callAsFunction(_ data: Data) -> Data {
    let secret = Data(secret.utf8)
    var (data, start) = (data, data.startIndex)
    while let range = data.range(of: secret, in: start..<data.endIndex) {
      data.replaceSubrange(range, with: Data(Self.placeholder.utf8))
      start = range.lowerBound + Self.placeholder.utf8.count
    }
    return data
  }
}
