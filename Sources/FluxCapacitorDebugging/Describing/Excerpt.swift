import FluxCapacitor

/// The largest number of bytes that a text or a collection may take up. Without a limit, a file of ten
/// thousand dispatches could contain a long list twenty thousand times.
private let room = 1_000

extension Collection {
  /// Returns the text of as many elements as there is room for, with commas between them, and the number of
  /// the other elements.
  ///
  /// If all elements have room, the text is complete. Otherwise, it begins where it can show the first
  /// difference.
  ///
  /// - Parameters:
  ///   - difference: A closure that returns the number of elements before the first difference from another
  ///     collection, or nil if there is none.
  ///   - text: A closure that returns the text of an element.
  func excerpt(from difference: () -> Int?, _ text: (Element) -> String) -> String {
    var (texts, skipped) = (texts(from: startIndex, text), 0)
    if texts.count < count, let difference = difference(), difference >= texts.count {
      // The excerpt includes three elements before the difference.
      skipped = Swift.max(0, difference - 3)
      texts = self.texts(from: index(startIndex, offsetBy: skipped), text)
    }
    let rest = count - skipped - texts.count
    if skipped > 0 { texts.insert("… \(skipped) more", at: 0) }
    if rest > 0 { texts.append("\(rest) more …") }
    return texts.joined(separator: ", ")
  }

  private func texts(from start: Index, _ text: (Element) -> String) -> [String] {
    var texts: [String] = []
    var length = 0
    for element in self[start...] {
      let next = text(element)
      length += next.utf8.count + 2
      if length > room, !texts.isEmpty { break }
      texts.append(next)
    }
    return texts
  }

  /// Returns the number of elements before the first difference from another collection of this type, or nil
  /// if there is none.
  func firstDifference(from other: Any, isSame: (Any, Any) -> Bool) -> Int? {
    guard let other = other as? Self else { return nil }
    var (rest, others) = (self[...], other[...])
    var same = 0
    // This compares 64 elements at a time, because comparing single elements takes a hundred times as long.
    while !rest.isEmpty, let piece = rest.prefix(64) as? any Equatable,
      piece.isEqual(to: others.prefix(64))
    {
      same += rest.prefix(64).count
      rest = rest.dropFirst(64)
      others = others.dropFirst(64)
    }
    for (element, other) in zip(rest, others) {
      guard isSame(element, other) else { return same }
      same += 1
    }
    return count == other.count && same == count ? nil : same
  }
}

extension String {
  /// Returns as much of a text as there is room for, beginning where it can show the first difference from
  /// another text.
  ///
  /// - Parameter write: A closure that returns the written form of a part of the text.
  func excerpt(beside other: String? = nil, _ write: (String) -> String) -> String {
    guard utf8.count > room else { return write(self) }
    let same = other == self ? 0 : other.map { zip(utf8, $0.utf8).prefix { $0 == $1 }.count } ?? 0
    let skipped = same < room / 2 ? 0 : same - 20
    let start = utf8.index(startIndex, offsetBy: skipped)
    let end = utf8.index(start, offsetBy: room, limitedBy: endIndex) ?? endIndex
    // Both ends move to the beginning of a Unicode scalar.
    let shown = unicodeScalars[start..<end]
    let before = self[..<shown.startIndex].utf8.count
    let behind = self[shown.endIndex...].utf8.count
    return (before > 0 ? "… \(before) bytes, " : "") + write(String(shown))
      + (behind > 0 ? ", \(behind) bytes …" : "")
  }
}
