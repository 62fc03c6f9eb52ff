import Foundation

/// Sanitizes text from a server or a user.
///
/// A terminal executes control characters, and other characters are invisible or reverse a line's
/// direction. Sanitizing replaces all such characters before the text reaches the terminal.
extension String {
  /// The text in one line. Spaces replace line breaks and tabs, and U+FFFD replaces harmful
  /// characters.
  package var sanitized: String {
    var result = UnicodeScalarView()
    var previous: Unicode.Scalar?
    for index in unicodeScalars.indices {
      let scalar = unicodeScalars[index]
      let next = unicodeScalars[unicodeScalars.index(after: index)...].first
      if scalar.isSpace {
        if result.last != " " { result.append(" ") }
      } else if scalar.isHarmless || scalar.joinsEmoji(between: previous, and: next) {
        result.append(scalar)
      } else {
        result.append("\u{FFFD}")
      }
      previous = scalar
    }
    return String(result).trimmingCharacters(in: .whitespaces)
  }

  /// The text as a part of a sentence. The result is one sanitized line of at most 200 characters,
  /// without a full stop.
  package var sanitizedClause: String {
    var clause = sanitized
    while clause.last == "." { clause.removeLast() }
    return clause.count > 200 ? clause.prefix(199) + "…" : clause
  }

  /// The JSON text with JSON escapes instead of harmful characters.
  var sanitizedJSON: String {
    var result = UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar == "\n" || scalar.isHarmless {
        result.append(scalar)
      } else {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars
        }
      }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  fileprivate var isSpace: Bool {
    self == " " || ("\u{9}"..."\u{D}").contains(self) || self == "\u{85}" || self == "\u{2028}"
      || self == "\u{2029}"
  }

  fileprivate var isHarmless: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate:
      false
    default:
      !properties.isDefaultIgnorableCodePoint || ("\u{FE00}"..."\u{FE0F}").contains(self)
    }
  }

  /// Returns whether a character is the invisible joiner inside an emoji, such as the emoji of a
  /// family.
  fileprivate func joinsEmoji(
    between previous: Unicode.Scalar?,
    and next: Unicode.Scalar?
  ) -> Bool {
    guard self == "\u{200D}", let previous, let next else { return false }
    return (previous == "\u{FE0F}" || previous.isPictorial) && next.isPictorial
  }

  private var isPictorial: Bool { value > 0x2000 && properties.isEmoji }
}
