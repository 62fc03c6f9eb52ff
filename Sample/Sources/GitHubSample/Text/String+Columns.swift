extension String {
  /// The number of columns that the text takes on a terminal.
  var columns: Int {
    reduce(0) { $0 + $1.columns }
  }

  /// Returns the text with spaces after it, up to a width.
  func leftAligned(in width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - columns))
  }

  /// Returns the text cut to a width, with an ellipsis at the cut.
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
