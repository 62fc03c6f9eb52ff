import Foundation

/// Makes text from elsewhere fit to be shown.
///
/// A terminal obeys some characters, and others turn the order of a line around or can't be seen.
/// None of those that came from a server or a user reaches the screen.
package enum DisplayText {
  /// One line of text, with spaces for line breaks and tabs, and marks for what could do harm.
  package static func oneLine(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    let scalars = text.unicodeScalars
    for index in scalars.indices {
      let scalar = scalars[index]
      let next = scalars[scalars.index(after: index)...].first
      if isWhitespace(scalar) {
        if result.last != " " { result.append(" ") }
      } else if isHarmless(scalar) || joinsEmoji(scalar, between: previous, and: next) {
        result.append(scalar)
      } else {
        result.append("\u{FFFD}")
      }
      previous = scalar
    }
    return String(result).trimmingCharacters(in: .whitespaces)
  }

  /// A part of a sentence: one line without its full stop, and not too long.
  package static func clause(_ text: String) -> String {
    var clause = oneLine(text)
    while clause.last == "." { clause.removeLast() }
    return clause.count > 200 ? clause.prefix(199) + "…" : clause
  }

  /// JSON in which what isn't harmless is an escape of JSON's own.
  static func escapedJSON(_ json: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in json.unicodeScalars {
      if scalar == "\n" || isHarmless(scalar) {
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

  /// "20 seconds", "1 minute", "2 hours": rounded up from the second minute on.
  package static func spoken(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    let (count, unit) =
      switch seconds {
      case ..<120: (seconds, "second")
      case ..<7_200: ((seconds / 60).rounded(.up), "minute")
      default: ((seconds / 3_600).rounded(.up), "hour")
      }
    let number = count.formatted(
      .number.precision(.fractionLength(0...3)).locale(Locale(identifier: "en_US"))
    )
    return "\(number) \(unit)\(count == 1 ? "" : "s")"
  }

  private static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || ("\u{9}"..."\u{D}").contains(scalar) || scalar == "\u{85}"
      || scalar == "\u{2028}" || scalar == "\u{2029}"
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate:
      false
    default:
      !scalar.properties.isDefaultIgnorableCodePoint
        || ("\u{FE00}"..."\u{FE0F}").contains(scalar)
    }
  }

  /// Whether this is the invisible joiner inside an emoji such as a family, where it belongs.
  private static func joinsEmoji(
    _ scalar: Unicode.Scalar,
    between previous: Unicode.Scalar?,
    and next: Unicode.Scalar?
  ) -> Bool {
    guard scalar == "\u{200D}", let previous, let next else { return false }
    let isAfterEmoji = previous == "\u{FE0F}" || isPictorial(previous)
    return isAfterEmoji && isPictorial(next)
  }

  private static func isPictorial(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 0x2000 && scalar.properties.isEmoji
  }
}
