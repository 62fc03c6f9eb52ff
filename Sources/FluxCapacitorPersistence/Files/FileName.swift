import Foundation

/// The names of the files of an archive, or of one key of an archive.
package struct FileName: Hashable {
  package let name: String
  let hasKey: Bool

  /// - Parameter key: The key, or nil for an archive without keys.
  package init(of archive: String, key: String? = nil) {
    hasKey = key != nil
    name = key.map { "\(archive)\(FileName.separator)\(FileName.escaped($0))" } ?? archive
  }

  /// Whether the file system would refuse a name that derives from this one, such as the one of a file set aside.
  var isTooLong: Bool { name.utf8.count > FileName.longestName }

  /// A file system limits names to 255 bytes, of which the other names of a file need some.
  static let longestName = 225

  /// The name in a table. Some file systems ignore case.
  var inTable: String { name.lowercased() }

  /// The name in a table of the current file with a name.
  static func inTable(_ current: String) -> String {
    current.hasSuffix(".json") ? String(current.dropLast(5)).lowercased() : ""
  }

  package var current: String { "\(name).json" }
  var previous: String { "\(name).previous" }

  /// The file that is being written.
  var temporary: String { ".\(name).saving" }

  /// A second name of the current file, while it becomes the previous generation.
  var temporaryPrevious: String { ".\(name).becoming-previous" }

  func aside(_ number: Int) -> String { "\(name).aside-\(number).json" }

  func asidePrevious(_ number: Int) -> String { "\(name).aside-\(number).previous" }

  /// The text between the name of an archive and a key. No name of an archive contains it.
  static let separator = ".key-"

  /// The longest escaped key. A file system limits names to 255 bytes, of which the archive's name needs some.
  private static let longestKey = 120

  /// Returns a part of a file's name that belongs only to this key, in every file system.
  ///
  /// Some file systems ignore case or normalize Unicode. So all bytes except for lowercase letters, digits, hyphens and
  /// underscores are escaped, as in a URL. Of a long key, a hash replaces the end.
  private static func escaped(_ key: String) -> String {
    let bytes = Array(key.precomposedStringWithCanonicalMapping.utf8)
    var text = ""
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "%" + byte.hexadecimal
      }
      if text.utf8.count > longestKey { return "\(text.prefix(40))~\(SHA256.hash(of: bytes))" }
    }
    return text
  }
}
