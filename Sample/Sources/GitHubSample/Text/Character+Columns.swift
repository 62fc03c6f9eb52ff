extension Character {
  /// An estimate of the columns that the character takes on a terminal. The estimate is never too
  /// small.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    let isEmoji =
      first.properties.isEmojiPresentation
      || (first.properties.isEmoji && unicodeScalars.contains("\u{FE0F}"))
    if isEmoji { return 2 }
    return unicodeScalars.reduce(0) { $0 + Character.columns(of: $1) }
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    // A skin tone after another character than a person is an emoji of its own.
    if scalar.properties.isEmojiPresentation { return 2 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control: return 0
    case .format where scalar != "\u{AD}" && !scalar.isVisibleFormat: return 0
    default: break
    }
    switch scalar.value {
    case 0x1160...0x11FF:
      // These Hangul vowels and final consonants take no column, because they combine with the
      // previous consonant.
      return 0
    case 0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E,
      0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x16FF6, 0x17000...0x18DFF,
      0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
      // The characters in these ranges are wide in Unicode's East Asian Width property.
      return 2
    default:
      return 1
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character is visible although Unicode counts it as a format character, such as the Arabic
  /// sign before a number.
  var isVisibleFormat: Bool {
    switch value {
    case 0x600...0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD: true
    default: false
    }
  }
}
