/// A GitHub token, which nothing prints.
struct AccessToken: Sendable {
  /// What goes into the request, and nowhere else.
  let secret: String

  /// A token has visible ASCII characters only; with any other, URLSession drops the header.
  init?(_ text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    secret = String(text)
  }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
  var description: String { "<token>" }

  var customMirror: Mirror { Mirror(self, children: []) }
}
