import FluxCapacitorDebugging
import Foundation

/// A GitHub token, which nothing prints.
package struct AccessToken: Equatable, Secret, Sendable {
  /// For the request's header, and for the console, which redacts it.
  let secret: String

  /// Trims the text, and returns nil if it can't be a token.
  ///
  /// A token has visible ASCII characters only; with any other, URLSession drops the header.
  package init?(_ text: some StringProtocol) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    secret = text
  }
}
