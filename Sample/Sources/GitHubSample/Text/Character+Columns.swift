extension Character {
  /// How many columns of a terminal it takes: none, one, or two.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if unicodeScalars.contains("\u{FE0F}") || first.properties.isEmojiPresentation { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return Character.isWide(first) ? 2 : 1
    }
  }

  /// Whether it belongs to the wide ones of Unicode's East Asian Width.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18DFF,
      0x1B000...0x1B2FF, 0x20000...0x3FFFD:
      true
    default:
      false
    }
  }
}
