/// As much of a collection as there is room for: a file of ten thousand dispatches must not have a long list
/// twenty thousand times.
///
/// What has room is whole. Otherwise it begins where its first difference from another collection can be
/// seen.
struct Excerpt<Elements: Collection> {
  /// How many bytes of text there is room for.
  static var room: Int { 1_000 }

  private let elements: Elements
  private let others: Elements?
  private let isSame: (Elements.Element, Elements.Element) -> Bool

  init(
    of elements: Elements,
    beside others: Elements?,
    isSame: @escaping (Elements.Element, Elements.Element) -> Bool
  ) {
    self.elements = elements
    self.others = others
    self.isSame = isSame
  }

  /// The elements with commas between them, and how many more there are before and behind them.
  func text(_ text: (Elements.Element) -> String) -> String {
    var (texts, skipped) = (texts(from: elements.startIndex, text), 0)
    if texts.count < elements.count, let difference, difference >= texts.count {
      // With some of what comes before it.
      skipped = max(0, difference - 3)
      texts = self.texts(from: elements.index(elements.startIndex, offsetBy: skipped), text)
    }
    let rest = elements.count - skipped - texts.count
    if skipped > 0 { texts.insert("… \(skipped) more", at: 0) }
    if rest > 0 { texts.append("\(rest) more …") }
    return texts.joined(separator: ", ")
  }

  private func texts(
    from start: Elements.Index,
    _ text: (Elements.Element) -> String
  ) -> [String] {
    var texts: [String] = []
    var length = 0
    for element in elements[start...] {
      let next = text(element)
      length += next.utf8.count + 2
      if length > Excerpt.room, !texts.isEmpty { break }
      texts.append(next)
    }
    return texts
  }

  /// How many elements come before the first difference; nil if there is none.
  private var difference: Int? {
    guard let others else { return nil }
    var same = 0
    for (element, other) in zip(elements, others) {
      guard isSame(element, other) else { return same }
      same += 1
    }
    return same == elements.count && same == others.count ? nil : same
  }
}

extension String {
  /// As much of a text as there is room for, from where its first difference from another can be seen.
  ///
  /// - Parameter write: How it is written.
  func excerpt(beside other: String? = nil, _ write: (String) -> String) -> String {
    guard utf8.count > Excerpt<String>.room else { return write(self) }
    let same = other == self ? 0 : other.map { zip(utf8, $0.utf8).prefix { $0 == $1 }.count } ?? 0
    let skipped = same < Excerpt<String>.room / 2 ? 0 : same - 20
    let start = utf8.index(startIndex, offsetBy: skipped)
    let end = utf8.index(start, offsetBy: Excerpt<String>.room, limitedBy: endIndex) ?? endIndex
    // Both ends are moved to where a scalar begins.
    let shown = unicodeScalars[start..<end]
    let before = self[..<shown.startIndex].utf8.count
    let behind = self[shown.endIndex...].utf8.count
    return (before > 0 ? "… \(before) bytes, " : "") + write(String(shown))
      + (behind > 0 ? ", \(behind) bytes …" : "")
  }
}
