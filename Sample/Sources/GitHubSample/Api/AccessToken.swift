import FluxCapacitorDebugging
import Foundation

/// A GitHub token, which nothing prints.
package struct AccessToken: Equatable, Secret, Sendable {
  /// What goes into the request, and nowhere else.
  let secret: String

  /// Takes a text without the spaces and line breaks around it.
  ///
  /// A token has visible ASCII characters only; with any other, URLSession drops the header.
  package init?(_ text: some StringProtocol) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    secret = text
  }
}
