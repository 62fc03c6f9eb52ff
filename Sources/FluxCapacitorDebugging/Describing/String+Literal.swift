extension String {
  /// The text as a string literal, in which invisible characters and unusual spaces are escaped, such as
  /// `"Marty\u{A0}McFly"`. So two different texts look different.
  ///
  /// A joiner, a variation selector or a tag stays as it is after a character that it can change.
  package var literal: String { debugDescription.escaped { !$0.isASCII && $0.isHidden(after: $1) } }

  /// The text, with escapes in place of line breaks and of other characters that could control a terminal.
  var onOneLine: String { escaped { $0.isControl(after: $1) } }

  /// The text with escapes in place of the characters that could control a terminal, except line breaks and tabs.
  package var withoutControls: String {
    escaped { $0 != "\n" && $0 != "\t" && $0.isControl(after: $1) }
  }

  /// The text of JSON, with escapes in place of the characters that could control a terminal.
  var asciiControlsOfJSON: String {
    escaped({ $0.isControl(after: $1) }) { scalar in
      scalar.utf16.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined()
    }
  }

  private func escaped(
    _ isEscaped: (_ scalar: Unicode.Scalar, _ previous: Unicode.Scalar) -> Bool,
    as escape: (Unicode.Scalar) -> String = \.escape
  ) -> String {
    var previous: Unicode.Scalar = "\""
    var text = ""
    for scalar in unicodeScalars {
      if isEscaped(scalar, previous) {
        text += escape(scalar)
      } else {
        text.unicodeScalars.append(scalar)
      }
      previous = scalar
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var escape: String {
    isASCII ? escaped(asASCII: true) : "\\u{\(String(value, radix: 16, uppercase: true))}"
  }

  /// Whether a terminal could obey this character, as it obeys the controls for the direction of a text.
  fileprivate func isControl(after previous: Unicode.Scalar) -> Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: isHidden(after: previous)
    default: false
    }
  }

  fileprivate func isHidden(after previous: Unicode.Scalar) -> Bool {
    if isASCII { return false }
    if properties.isWhitespace || properties.generalCategory == .control { return true }
    guard properties.isDefaultIgnorableCodePoint else { return false }
    switch properties.generalCategory {
    case .nonspacingMark: return previous.isASCII && !previous.properties.isEmoji
    case .format where properties.isJoinControl || 0xE0020...0xE007F ~= value:
      return previous.isASCII
    default: return true
    }
  }
}
