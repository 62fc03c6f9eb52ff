import Foundation

/// An encoder that writes nothing, but detects whether a value contains a secret. Unlike a mirror, the
/// encoder also finds secrets in objects, and in values with custom mirrors.
struct SecretFinder: Encoder {
  private final class Result {
    var hasSecret = false
  }

  private let result = Result()

  /// Returns whether the encoding of a value contains a secret.
  ///
  /// - Throws: The error that the value's `Encodable` conformance throws.
  static func hasSecret(_ value: any Encodable) throws -> Bool {
    let finder = SecretFinder()
    try finder.look(into: value)
    return finder.result.hasSecret
  }

  fileprivate func look(into value: some Encodable) throws {
    switch value {
    case is any Secret: result.hasSecret = true
    case is Bool, is String, is any Numeric, is Data: break
    default: try value.encode(to: self)
    }
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed(finder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(finder: self) }
  func singleValueContainer() -> any SingleValueEncodingContainer { Unkeyed(finder: self) }
}

private struct Unkeyed: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let finder: SecretFinder
  private(set) var count = 0

  init(finder: SecretFinder) {
    self.finder = finder
  }

  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() { count += 1 }

  mutating func encode(_ value: some Encodable) throws {
    count += 1
    try finder.look(into: value)
  }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedEncodingContainer<Key> {
    count += 1
    return finder.container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    count += 1
    return finder.unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    count += 1
    return finder
  }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let finder: SecretFinder

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey _: Key) {}

  func encode(_ value: some Encodable, forKey _: Key) throws {
    try finder.look(into: value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey _: Key
  ) -> KeyedEncodingContainer<Nested> { finder.container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey _: Key) -> any UnkeyedEncodingContainer {
    finder.unkeyedContainer()
  }

  func superEncoder() -> any Encoder { finder }
  func superEncoder(forKey _: Key) -> any Encoder { finder }
}
