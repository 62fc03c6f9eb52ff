/// The styles of text on a terminal.
package enum Style: String, Sendable {
  case bold = "1"
  case faint = "2"
  case green = "32"
  case yellow = "33"
  case cyan = "36"

  /// Returns the text in this style. If the condition is false, the result is the unchanged text.
  package func applied(to text: String, if isWanted: Bool) -> String {
    isWanted && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
