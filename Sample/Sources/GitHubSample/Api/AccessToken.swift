import FluxCapacitorDebugging
import Foundation

/// A GitHub token, which is never logged or printed.
package struct AccessToken: Equatable, Secret, Sendable {
  /// The text of the token, which the request's header contains and the console redacts.
  let secret: String

  /// Creates a token from the trimmed text, or returns nil if the text can't be a token.
  ///
  /// A token can contain only visible ASCII characters, because URLSession drops a header with
  /// other characters.
  package init?(_ text: some StringProtocol) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    secret = text
  }
}
