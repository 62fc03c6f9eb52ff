import Foundation

/// The contents of a file: a JSON object with the format's version, the version of the saved type, a checksum,
/// and the saved value.
///
/// ```json
/// {
///   "format" : 1,
///   "version" : 2,
///   "checksum" : "e7f57f3e",
///   "saved" : { "draft" : "", "notes" : [] }
/// }
/// ```
///
/// The checksum covers the format, the version, and the bytes of the saved value, with one space after each
/// number. A file without a checksum isn't checked, so a person can edit the file. The text of a value that isn't JSON has
/// the key `savedAsBase64`. Contents in a storage also name the keeper that has written them, as `writer`.
package struct Envelope {
  /// The newest version of this format.
  static let format = 1

  private static let names: Set = [
    "format", "version", "writer", "checksum", "saved", "savedAsBase64",
  ]

  let version: Int
  let saved: Data

  /// Whether the file contains the saved value as JSON text.
  let isJSON: Bool

  init(version: Int, saved: Data, isJSON: Bool) {
    self.version = version
    self.saved = saved
    self.isJSON = isJSON
  }

  /// Parses the contents of a file.
  package init(_ data: Data) throws(KeeperFailure.Cause) {
    if data.isEmpty { throw .damaged("it is empty") }
    if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
      throw .damaged("it is encoded as UTF-16 instead of UTF-8")
    }
    // Some editors begin a UTF-8 file with a byte order mark.
    let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    guard let members = JSONMembers(of: text) else {
      throw .damaged("it isn't a JSON object, or its end is missing")
    }
    let format = try members.number("format")
    guard format <= Envelope.format else { throw .newerFormat(known: Envelope.format) }
    // Damage in the name of the checksum must not disable the check.
    if !members.names.isSubset(of: Envelope.names) { throw .damaged("it has an unknown member") }
    let version = try members.number("version")
    let base64 = members["savedAsBase64"]
    guard let bytes = base64 ?? members["saved"] else { throw .damaged("it has no saved value") }
    if let checksum = members["checksum"] {
      guard checksum.elementsEqual("\"\(Envelope.checksum(format, version, bytes))\"".utf8) else {
        throw .damaged(KeeperFailure.checksumMismatch)
      }
    }
    guard base64 != nil else {
      // A slice doesn't begin at the index 0.
      self.init(version: version, saved: Data(bytes), isJSON: true)
      return
    }
    guard let saved = Data(base64Encoded: bytes.dropFirst().dropLast()) else {
      throw .damaged("the saved value isn't a base64 text")
    }
    self.init(version: version, saved: saved, isJSON: false)
  }

  /// The keeper that has written contents, or nil if they don't name one.
  static func writer(of contents: Data) -> String? {
    JSONMembers(of: contents)?["writer"].map { text in
      String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
    }
  }

  private static func checksum(_ format: Int, _ version: Int, _ bytes: Data) -> String {
    Checksum(of: Data("\(format) \(version) ".utf8) + bytes).text
  }

  /// Returns the contents of a file.
  ///
  /// - Parameter writer: The keeper that writes the contents to a storage, or nil for a file.
  func data(writer: String?) -> Data {
    let bytes = isJSON ? saved.indented() : Data("\"\(saved.base64EncodedString())\"".utf8)
    let header = """
      {
        "format" : \(Envelope.format),
        "version" : \(version),\(writer.map { "\n  \"writer\" : \"\($0)\"," } ?? "")
        "checksum" : "\(Envelope.checksum(Envelope.format, version, bytes))",
        "\(isJSON ? "saved" : "savedAsBase64")" :\u{20}
      """
    return Data(header.utf8) + bytes + Data("\n}\n".utf8)
  }
}

extension Data {
  /// Returns JSON text without surrounding space, and with two more spaces after each line break. JSON's
  /// strings contain no line breaks.
  fileprivate func indented() -> Data {
    let space: Set = Set<UInt8>(" \n\r\t".utf8)
    guard let last = lastIndex(where: { !space.contains($0) }) else { return self }
    let text = self[...last].drop { space.contains($0) }
    var copy = Data(capacity: count + count / 4)
    text.withUnsafeBytes { bytes in
      var line = 0
      for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
        copy.append(contentsOf: bytes[line...index])
        copy.append(contentsOf: "  ".utf8)
        line = index + 1
      }
      copy.append(contentsOf: bytes[line...])
    }
    return copy
  }
}
