import Foundation

extension String {
  /// Returns the text, or an excerpt that shows the first difference from another text.
  ///
  /// - Parameters:
  ///   - room: The largest number of bytes of the excerpt.
  ///   - other: The other text.
  ///   - write: A closure that returns a part of the text in its written form, such as in quotation marks.
  func excerpt(of room: Int, beside other: String? = nil, _ write: (String) -> String) -> String {
    guard utf8.count > room else { return write(self) }
    let same = other == self ? 0 : other.map { sharedPrefix(Array(utf8), Array($0.utf8)) } ?? 0
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

extension Data {
  /// Returns the number of bytes and some bytes in hexadecimal notation, such as `3 bytes: 01 02 ff`. If the
  /// data is long, the excerpt shows the first difference from other data.
  func excerpt(beside other: Data? = nil) -> String {
    let same = other.map { sharedPrefix(Array(self), Array($0)) } ?? 0
    let skipped = same < 16 ? 0 : same
    let bytes = dropFirst(skipped).prefix(16)
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    let rest = count > skipped + 16 ? " …" : ""
    return "\(count) bytes: " + (skipped > 0 ? "… at \(skipped): " : "") + bytes + rest
  }
}

/// Returns the number of bytes that are the same at the beginning of two lists.
private func sharedPrefix(_ first: [UInt8], _ second: [UInt8]) -> Int {
  let shorter = min(first.count, second.count)
  return (0..<shorter).first { first[$0] != second[$0] } ?? shorter
}
