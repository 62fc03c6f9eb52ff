/// The secret in an explorer's address. Only programs that have received the address know the secret.
struct LiveSecret: Sendable {
  /// A random text.
  let text = (0..<32).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()

  /// Returns whether a text is the secret. The duration of the comparison doesn't reveal how much of the
  /// text is correct.
  func matches(_ other: Substring) -> Bool {
    guard other.utf8.count == text.utf8.count else { return false }
    return zip(other.utf8, text.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
