import FluxCapacitor

/// The largest number of bytes in the text of a string or a collection. Without this limit, a file of
/// 10,000 dispatches could contain the same long list 20,000 times.
private let room = 1_000

extension Collection {
  /// Returns the comma-separated texts of as many elements as fit, and the number of omitted elements.
  ///
  /// If an excerpt from the first element would omit the first difference, the excerpt starts shortly
  /// before the difference.
  ///
  /// - Parameters:
  ///   - difference: A closure that returns the number of elements before the first difference from another
  ///     collection. The closure returns nil if both collections are equal.
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

  /// Returns the number of elements before the first difference from another collection. The result is nil
  /// if the collections are equal, or if the collections have different types.
  func firstDifference(from other: Any, isSame: (Any, Any) -> Bool) -> Int? {
    guard let other = other as? Self else { return nil }
    var (rest, others) = (self[...], other[...])
    var same = 0
    // The loop compares 64 elements at a time, because comparing single elements takes 100 times as long.
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
  /// Returns the text, or an excerpt that shows the first difference from another text.
  ///
  /// - Parameter write: A closure that returns a part of the text in its written form, such as in quotation
  ///   marks.
  func excerpt(beside other: String? = nil, _ write: (String) -> String) -> String {
    guard utf8.count > room else { return write(self) }
    let same = other == self ? 0 : other.map { zip(utf8, $0.utf8).prefix { $0 == $1 }.count } ?? 0
    let skipped = same < room / 2 ? 0 : same - 20
    let start = utf8.index(startIndex, offsetBy: skipped)
    let end = utf8.index(start, offsetBy: room, limitedBy: endIndex) ?? endIndex
    // Slicing `unicodeScalars` moves both ends of the excerpt back to the start of a Unicode scalar.
    let shown = unicodeScalars[start..<end]
    let before = self[..<shown.startIndex].utf8.count
    let behind = self[shown.endIndex...].utf8.count
    return (before > 0 ? "… \(before) bytes, " : "") + write(String(shown))
      + (behind > 0 ? ", \(behind) bytes …" : "")
  }
}
