extension String {
  /// The text as a string literal, in which invisible characters and unusual spaces are escaped, such as
  /// `"Marty\u{A0}McFly"`. So two different texts look different.
  ///
  /// A joiner, a variation selector or a tag stays as it is after a character that it can change.
  var literal: String {
    let quoted = debugDescription
    if quoted.utf8.allSatisfy({ $0 < 0x80 }) { return quoted }
    var previous: Unicode.Scalar = "\""
    var text = ""
    for scalar in quoted.unicodeScalars {
      if scalar.isHidden(after: previous) {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
      previous = scalar
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate func isHidden(after previous: Unicode.Scalar) -> Bool {
    if isASCII { return false }
    if properties.isWhitespace { return true }
    guard properties.isDefaultIgnorableCodePoint else { return false }
    switch properties.generalCategory {
    case .nonspacingMark: return previous.isASCII && !previous.properties.isEmoji
    case .format where properties.isJoinControl || 0xE0020...0xE007F ~= value:
      return previous.isASCII
    default: return true
    }
  }
}
