import Foundation

/// A field of each item in the JSON output.
package struct JSONField<Item>: Sendable {
  package let name: String
  let value: @Sendable (Item) -> JSONValue

  init(_ name: String, _ value: @escaping @Sendable (Item) -> JSONValue) {
    self.name = name
    self.value = value
  }
}

/// A JSON value.
indirect enum JSONValue: Encodable, Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Int)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  static func string(_ text: String?) -> JSONValue {
    text.map { .string($0) } ?? .null
  }

  static func date(_ date: Date?) -> JSONValue {
    .string(date?.formatted(.iso8601))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }

  /// Returns the JSON text, either in one line or indented for people.
  ///
  /// Characters that could harm a terminal become JSON escapes, which decode to the same text.
  func text(isPretty: Bool) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    return String(decoding: try encoder.encode(self), as: UTF8.self).sanitizedJSON
  }
}
