import Foundation

/// The members of a JSON object, as the bytes of their values.
///
/// Foundation's decoder doesn't tell which bytes of a file belong to a value, but the checksum needs these
/// bytes. The parser finds the ends of values. It doesn't check the values.
struct JSONMembers {
  private var values: [String: Data] = [:]

  var names: Set<String> { Set(values.keys) }

  subscript(key: String) -> Data? { values[key] }

  func number(_ key: String) throws(KeeperFailure.Cause) -> Int {
    guard let text = values[key] else { throw .damaged("it has no \(key)") }
    guard let number = Int(String(decoding: text, as: UTF8.self)) else {
      throw .damaged("its \(key) isn't a whole number")
    }
    return number
  }

  /// Parses an object, or returns nil if the text isn't a whole object.
  init?(of data: Data) {
    var parser = Parser(data)
    guard parser.take("{") else { return nil }
    repeat {
      guard let key = parser.takeValue(), key.first == UInt8(ascii: "\""), parser.take(":"),
        let value = parser.takeValue()
      else { return nil }
      values[String(decoding: key.dropFirst().dropLast(), as: UTF8.self)] = value
    } while parser.take(",")
    guard parser.take("}"), parser.isAtEnd else { return nil }
  }

  private struct Parser {
    private var rest: Data

    init(_ data: Data) { rest = data }

    var isAtEnd: Bool {
      mutating get {
        skipSpace()
        return rest.isEmpty
      }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      skipSpace()
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    /// Returns the bytes of the next value, which can be a string, a number, a word, an array or an object.
    mutating func takeValue() -> Data? {
      skipSpace()
      guard let end = endOfValue, end > rest.startIndex else { return nil }
      defer { rest = rest[end...] }
      return rest[..<end]
    }

    /// The index after the next value, or nil if the value doesn't end.
    private var endOfValue: Data.Index? {
      rest.withUnsafeBytes { bytes -> Int? in
        var depth = 0
        var isInString = false
        var index = 0
        while index < bytes.count {
          let byte = bytes[index]
          if isInString {
            if byte == UInt8(ascii: "\\") {
              index += 1
            } else if byte == UInt8(ascii: "\"") {
              isInString = false
            }
            if !isInString, depth == 0 { return index + 1 }
          } else {
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
              // An end without a beginning belongs to the surrounding object.
              if depth == 0 { return index }
              depth -= 1
              if depth == 0 { return index + 1 }
            case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"),
              UInt8(ascii: "\t"):
              if depth == 0 { return index }
            default: break
            }
          }
          index += 1
        }
        return nil
      }.map { rest.startIndex + $0 }
    }

    private mutating func skipSpace() {
      rest = rest.drop { [0x20, 0x0A, 0x0D, 0x09].contains($0) }
    }
  }
}
