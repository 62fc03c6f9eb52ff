extension String {
  /// The text as one line for a terminal. U+FFFD replaces the characters that a terminal executes, that end the
  /// line, or that reverse its direction.
  var harmless: String {
    String(UnicodeScalarView(unicodeScalars.map { $0.isHarmless ? $0 : "\u{FFFD}" }))
  }
}

extension Unicode.Scalar {
  fileprivate var isHarmless: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    default: !properties.isBidiControl
    }
  }
}
