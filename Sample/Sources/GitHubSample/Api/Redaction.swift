import Foundation

/// The replacement of a secret by `<token>` in texts and responses.
///
/// The text can spell the secret in other ways: with JSON escapes, in percent encoding, or in base64, as a server might
/// repeat the `Authorization` header. The time is proportional to the length of the text.
package struct Redaction: Sendable {
  private static let placeholder = "<token>".utf8
  private let searches: [PatternSearch]

  /// The number of bytes of the secret.
  let length: Int

  /// Creates the redaction of a secret, or nil for a secret of less than 8 bytes. Real tokens have at least 8
  /// bytes, and a short token for a local test server might be an ordinary word.
  package init?(of secret: String) {
    length = secret.utf8.count
    guard length >= 8 else { return nil }
    let patterns = [Array(secret.utf8)] + Redaction.base64Texts(of: Data(secret.utf8))
    searches = patterns.map(PatternSearch.init)
  }

  func callAsFunction(_ text: String) -> String {
    String(decoding: self(Array(text.utf8)), as: UTF8.self)
  }

  func callAsFunction(_ data: Data) -> Data { Data(self(Array(data))) }

  package func callAsFunction(_ bytes: some RandomAccessCollection<UInt8>) -> [UInt8] {
    var result = redacted(bytes) { bytes, index, _ in bytes.readCharacter(at: &index) }
    result = redacted(result) { bytes, index, _ in bytes.readJSONCharacter(at: &index) }
    result = redacted(result) { bytes, index, _ in bytes.readPercentEncodedCharacter(at: &index) }
    // A percent sign before a secret that begins with digits can look like an encoded character.
    return redacted(result) { bytes, index, isInMatch in
      isInMatch()
        ? bytes.readPercentEncodedCharacter(at: &index) : bytes.readJSONCharacter(at: &index)
    }
  }

  /// Redacts one kind of spelling.
  ///
  /// - Parameter readCharacter: A closure that returns the character at an index, and moves the index to its end. The
  ///   closure's last parameter tells whether the characters before might begin the secret.
  private func redacted<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes,
    _ readCharacter: (Bytes, inout Bytes.Index, _ isInMatch: () -> Bool) -> UInt8
  ) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var searches = searches
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let (start, resultStart) = (index, result.count)
      let character = readCharacter(bytes, &index) { searches.contains(where: \.isMatching) }
      for byte in bytes[start..<index] { result.append(byte) }
      var match: Int?
      for position in searches.indices {
        match = match ?? searches[position].advance(over: character, at: resultStart)
      }
      guard let match else { continue }
      result.removeLast(result.count - match)
      result += Redaction.placeholder
      for position in searches.indices { searches[position].reset() }
    }
    return result
  }

  /// Returns the base64 texts of the secret. The number of bytes before the secret determines the text, and base64
  /// for URLs has two other characters.
  private static func base64Texts(of secret: Data) -> [[UInt8]] {
    (0..<3).flatMap { offset in
      let text = (Data(count: offset) + secret).base64EncodedString()
      // The characters at both ends depend on the neighbors of the secret.
      let inner = text.prefix((offset + secret.count) * 4 / 3).dropFirst((offset * 4 + 2) / 3)
      let innerForURLs = inner.replacing("+", with: "-").replacing("/", with: "_")
      return Set([String(inner), String(innerForURLs)]).map { Array($0.utf8) }
    }
  }
}

extension RandomAccessCollection<UInt8> {
  fileprivate func readCharacter(at index: inout Index) -> UInt8 {
    defer { formIndex(after: &index) }
    return self[index]
  }

  /// Reads a character that JSON might have escaped.
  fileprivate func readJSONCharacter(at index: inout Index) -> UInt8 {
    let first = readCharacter(at: &index)
    guard first == UInt8(ascii: "\\"), index < endIndex else { return first }
    let second = readCharacter(at: &index)
    guard second == UInt8(ascii: "u") else { return second }
    return readCode(of: 4, at: &index) { $0.readCharacter(at: &$1) } ?? second
  }

  /// Reads a character that might be encoded by a percent sign and two digits, which JSON might have escaped.
  fileprivate func readPercentEncodedCharacter(at index: inout Index) -> UInt8 {
    let first = readJSONCharacter(at: &index)
    guard first == UInt8(ascii: "%") else { return first }
    return readCode(of: 2, at: &index) { $0.readJSONCharacter(at: &$1) } ?? first
  }

  /// Reads a character's code of hexadecimal digits. The result is nil if digits are missing, or 0 if the character isn't
  /// ASCII. Secrets are ASCII.
  private func readCode(
    of digitCount: Int,
    at index: inout Index,
    readDigit: (Self, inout Index) -> UInt8
  ) -> UInt8? {
    var (code, end) = (0, index)
    for _ in 0..<digitCount {
      guard end < endIndex,
        let digit = Character(Unicode.Scalar(readDigit(self, &end))).hexDigitValue
      else { return nil }
      code = code * 16 + digit
    }
    index = end
    return UInt8(exactly: code) ?? 0
  }
}
