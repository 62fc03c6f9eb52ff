import FluxCapacitorDebugging
import Foundation

/// A GitHub token, which is never logged or printed.
package struct AccessToken: Equatable, Secret, Sendable {
  /// The text of the token, for the request's header and for the console, which redacts it.
  let secret: String

  /// Creates a token from the trimmed text, or returns nil if the text can't be a token.
  ///
  /// A token has visible ASCII characters only. With other characters, URLSession drops the header.
  package init?(_ text: some StringProtocol) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    secret = text
  }
}
