import Foundation

/// Sanitizes text from a server or a user.
///
/// A terminal executes control characters, and other characters are invisible or reverse a line's
/// direction. Sanitizing replaces all such characters before the text reaches the terminal. Invisible
/// characters that belong to the spelling of a word or to an emoji are kept.
extension String {
  /// The text in one line. Spaces replace line breaks and tabs, and U+FFFD replaces harmful
  /// characters.
  package var sanitized: String {
    let scalars = Array(unicodeScalars)
    var result = UnicodeScalarView()
    var index = 0
    while index < scalars.count {
      let scalar = scalars[index]
      let tags = String.tagsOfFlag(in: scalars[index...])
      if scalar.isSpace {
        if result.last != " " { result.append(" ") }
      } else if scalar.isHarmless
        || scalar.hasMeaning(
          after: index > 0 ? scalars[index - 1] : nil,
          before: index + 1 < scalars.count ? scalars[index + 1] : nil
        )
      {
        result.append(scalar)
        // Appending several at once copies the whole result.
        for tag in tags { result.append(tag) }
      } else {
        result.append("\u{FFFD}")
      }
      index += 1 + tags.count
    }
    return String(result).trimmingCharacters(in: .whitespaces)
  }

  /// Returns the invisible tags after a black flag that make it the flag of a part of a country, such as
  /// Scotland, or nothing if the text doesn't begin with such a flag.
  private static func tagsOfFlag(in scalars: ArraySlice<Unicode.Scalar>) -> ArraySlice<
    Unicode.Scalar
  > {
    guard scalars.first == "\u{1F3F4}" else { return [] }
    let region = scalars.dropFirst().prefix {
      ("\u{E0030}"..."\u{E0039}").contains($0) || ("\u{E0061}"..."\u{E007A}").contains($0)
    }
    let isRegion =
      (3...6).contains(region.count) && scalars[region.endIndex...].first == "\u{E007F}"
    return isRegion ? scalars[region.startIndex...region.endIndex] : []
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
          let escape = "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
          for character in escape.unicodeScalars { result.append(character) }
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
    case .format:
      isVisibleFormat
    case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate:
      false
    default:
      !properties.isDefaultIgnorableCodePoint || ("\u{FE00}"..."\u{FE0F}").contains(self)
    }
  }

  /// Returns whether an invisible character belongs to the spelling of a word or to an emoji.
  fileprivate func hasMeaning(
    after previous: Unicode.Scalar?,
    before next: Unicode.Scalar?
  ) -> Bool {
    switch value {
    case 0xAD:
      // A soft hyphen
      return previous?.isOfWord == true && next?.isOfWord == true
    case 0x200C:
      // A non-joiner, as in Persian words. One of its neighbors can be of a different script.
      guard let previous, let next, previous.isOfWord, next.isOfWord else { return false }
      return previous.isJoining || next.isJoining
    case 0x200D:
      // A joiner in an emoji, such as the emoji of a family, or in a word, as in Hindi and Sinhala
      guard let previous else { return false }
      if previous.isJoining, previous.isOfWord { return true }
      guard let next else { return false }
      return (previous == "\u{FE0F}" || previous.isPictorial) && next.isPictorial
    case 0x180B...0x180D, 0x180F:
      // A variant of a Mongolian letter
      return previous.map { (0x1820...0x18AA).contains($0.value) } == true
    case 0xE0100...0xE01EF:
      // A variant of an ideograph, as in Japanese names
      return previous?.properties.isUnifiedIdeograph == true
    default:
      return false
    }
  }

  private var isPictorial: Bool { value > 0x2000 && properties.isEmoji }

  /// Whether the character is a letter, a mark or a digit.
  private var isOfWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber:
      true
    default:
      false
    }
  }

  /// Whether the character is in a block of scripts with letters that join, from Arabic to the scripts of India
  /// and Southeast Asia.
  private var isJoining: Bool {
    switch value {
    case 0x600...0xDFF, 0xF00...0x109F, 0x1700...0x18AF, 0x1900...0x1CFF, 0xA800...0xABFF,
      0xFB50...0xFDFF, 0xFE70...0xFEFC, 0x10A00...0x10AFF, 0x10D00...0x11FFF, 0x1E900...0x1E95F:
      true
    default:
      false
    }
  }
}
