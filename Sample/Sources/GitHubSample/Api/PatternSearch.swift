/// A search for a pattern in a sequence of characters that are read once, by the algorithm of Knuth, Morris and Pratt.
struct PatternSearch: Sendable {
  private let pattern: [UInt8]

  /// The number of characters at the end of each beginning of the pattern that also begin the pattern.
  private let overlaps: [Int]

  /// The positions of the last characters, as many as the pattern has, in a ring that begins with the oldest position.
  private var positions: [Int]
  private var oldest = 0
  private var matchedCount = 0

  /// - Parameter pattern: The pattern, which must not be empty.
  init(_ pattern: [UInt8]) {
    var overlaps = [0]
    for character in pattern.dropFirst() {
      var count = overlaps[overlaps.count - 1]
      while count > 0, pattern[count] != character { count = overlaps[count - 1] }
      overlaps.append(pattern[count] == character ? count + 1 : 0)
    }
    self.pattern = pattern
    self.overlaps = overlaps
    positions = [Int](repeating: 0, count: pattern.count)
  }

  /// Reads the next character. Returns the position of the pattern's first character if the pattern is complete.
  mutating func advance(over character: UInt8, at position: Int) -> Int? {
    positions[oldest] = position
    oldest = oldest + 1 == pattern.count ? 0 : oldest + 1
    while matchedCount > 0, pattern[matchedCount] != character {
      matchedCount = overlaps[matchedCount - 1]
    }
    if pattern[matchedCount] == character { matchedCount += 1 }
    return matchedCount == pattern.count ? positions[oldest] : nil
  }

  /// Whether the last characters begin the pattern.
  var isMatching: Bool { matchedCount > 0 }

  /// Forgets the characters before the next character.
  mutating func reset() { matchedCount = 0 }
}
