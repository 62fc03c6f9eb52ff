import Foundation

/// An encoder that passes values on to another encoder, and refuses each secret among them.
///
/// The encoder sees every value that an `encode(to:)` writes, at any depth. So the encoder also finds secrets in
/// objects and in values with custom mirrors.
struct GuardedEncoder: Encoder, SingleValueEncodingContainer {
  fileprivate let base: any Encoder
  fileprivate let alarm: SecretAlarm

  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    Keyed.container(base.container(keyedBy: type), alarm)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    Unkeyed(base: base.unkeyedContainer(), alarm: alarm)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws {
    var container = base.singleValueContainer()
    try container.encodeNil()
  }

  func encode(_ value: some Encodable) throws {
    var container = base.singleValueContainer()
    try container.encode(GuardedValue(value: value, alarm: alarm))
  }

  // For these two types, the protocols have default implementations, which throw an error.

  func encode(_ value: Int128) throws {
    var container = base.singleValueContainer()
    try container.encode(value)
  }

  func encode(_ value: UInt128) throws {
    var container = base.singleValueContainer()
    try container.encode(value)
  }
}

/// A value that is encoded through a ``GuardedEncoder``.
struct GuardedValue: Encodable {
  let value: any Encodable
  let alarm: SecretAlarm

  func encode(to encoder: any Encoder) throws {
    alarm.levels += 1
    defer { alarm.levels -= 1 }
    if alarm.levels > SecretAlarm.mostLevels {
      let context = EncodingError.Context(codingPath: [], debugDescription: "Too many levels.")
      throw EncodingError.invalidValue(self, context)
    }
    if try alarm.isPlain(value) {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    } else {
      try value.encode(to: GuardedEncoder(base: encoder, alarm: alarm))
    }
  }
}

/// Notes whether a secret has reached an encoder, because an `encode(to:)` can ignore the error.
final class SecretAlarm {
  struct Found: Error {}

  fileprivate(set) var hasFound = false

  /// The number of values that are being encoded. `JSONEncoder` refuses as many levels, but only after a thread's stack has
  /// held them all.
  fileprivate var levels = 0
  fileprivate static let mostLevels = 512

  /// Whether each encoded value is searched too, because the search in the whole value hasn't read some parts.
  private let searchesEachValue: Bool

  init(searchesEachValue: Bool) { self.searchesEachValue = searchesEachValue }

  /// Returns whether a value can be encoded as it is, because it has no parts, or because an encoder has a form of its
  /// own for it.
  fileprivate func isPlain(_ value: some Encodable) throws -> Bool {
    // A type's own `encode(to:)` can write the text of a secret.
    if value is any Secret || searchesEachValue && SecretSearch.search(value) == .secret {
      hasFound = true
      throw Found()
    }
    return value is Bool || value is String || value is any BinaryInteger
      || value is any BinaryFloatingPoint || value is Date || value is Data || value is URL
      || value is Decimal
  }
}

private struct Unkeyed: UnkeyedEncodingContainer {
  var base: any UnkeyedEncodingContainer
  let alarm: SecretAlarm

  var codingPath: [any CodingKey] { base.codingPath }
  var count: Int { base.count }

  mutating func encodeNil() throws { try base.encodeNil() }

  mutating func encode(_ value: some Encodable) throws {
    try base.encode(GuardedValue(value: value, alarm: alarm))
  }

  mutating func encode(_ value: Int128) throws { try base.encode(value) }
  mutating func encode(_ value: UInt128) throws { try base.encode(value) }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedEncodingContainer<Key> { Keyed.container(base.nestedContainer(keyedBy: type), alarm) }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    Unkeyed(base: base.nestedUnkeyedContainer(), alarm: alarm)
  }

  mutating func superEncoder() -> any Encoder {
    GuardedEncoder(base: base.superEncoder(), alarm: alarm)
  }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var base: KeyedEncodingContainer<Key>
  let alarm: SecretAlarm

  static func container(
    _ base: KeyedEncodingContainer<Key>,
    _ alarm: SecretAlarm
  ) -> KeyedEncodingContainer<Key> {
    if Key.self is any Secret.Type { alarm.hasFound = true }
    return KeyedEncodingContainer(Keyed(base: base, alarm: alarm))
  }

  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }

  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    try base.encode(GuardedValue(value: value, alarm: alarm), forKey: key)
  }

  mutating func encode(_ value: Int128, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }

  mutating func encode(_ value: UInt128, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    Keyed<Nested>.container(base.nestedContainer(keyedBy: type, forKey: key), alarm)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    Unkeyed(base: base.nestedUnkeyedContainer(forKey: key), alarm: alarm)
  }

  mutating func superEncoder() -> any Encoder {
    GuardedEncoder(base: base.superEncoder(), alarm: alarm)
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    GuardedEncoder(base: base.superEncoder(forKey: key), alarm: alarm)
  }
}
