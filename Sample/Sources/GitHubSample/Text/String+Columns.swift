extension String {
  /// How many columns it takes on a terminal.
  var columns: Int {
    reduce(0) { $0 + $1.columns }
  }

  /// The text with spaces after it, up to a width.
  func leftAligned(in width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - columns))
  }

  /// The text, cut to a width, with a mark where it was cut.
  func cut(to width: Int) -> String {
    guard columns > width else { return self }
    var result = ""
    var room = width - 1
    for character in self {
      room -= character.columns
      guard room >= 0 else { break }
      result.append(character)
    }
    return result.trimmingSuffix(while: \.isWhitespace) + "…"
  }
}

extension String {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
    var rest = self[...]
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return rest
  }
}
