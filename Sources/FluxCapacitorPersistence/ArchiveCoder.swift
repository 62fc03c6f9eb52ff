import Foundation

/// Encodes and decodes the value in a store's file.
///
/// ```swift
/// struct PropertyListCoder: ArchiveCoder {
///   func encode(_ saved: some Encodable) throws -> Data { try PropertyListEncoder().encode(saved) }
///
///   func decode<Saved: Decodable>(_ type: Saved.Type, from data: Data) throws -> Saved {
///     try PropertyListDecoder().decode(type, from: data)
///   }
/// }
/// ```
///
/// ```swift
/// let archive = Archive([String].self, named: "notes", version: 1, coder: PropertyListCoder())
/// ```
///
/// `Keeper.open` decodes and encodes on the calling thread. Saving encodes on a background thread. A keeper doesn't write
/// equal bytes again, so always encode the same value as the same bytes.
public protocol ArchiveCoder: Sendable {
  /// Whether the encoded data is JSON text, which the file contains as it is. Otherwise, the file contains the data as a
  /// base64 text. The default is false.
  var isJSON: Bool { get }

  /// Encodes a saved value.
  func encode(_ saved: some Encodable) throws -> Data

  /// Decodes a saved value.
  func decode<Saved: Decodable>(_ type: Saved.Type, from data: Data) throws -> Saved
}

extension ArchiveCoder {
  /// False. A coder that writes JSON returns true.
  public var isJSON: Bool { false }
}

/// Writes JSON that a person can read. This is the default coder.
///
/// The coder sorts keys, and writes dates as seconds since 2001, so that no fraction is lost. JSON lacks the numbers
/// infinity and NaN, so the coder writes the texts "inf", "-inf" and "nan".
public struct JSONCoder: ArchiveCoder {
  /// Creates a coder.
  public init() {}

  /// True, because the coder writes JSON.
  public var isJSON: Bool { true }

  /// Encodes a saved value as JSON.
  public func encode(_ saved: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    let data = try encoder.encode(saved)
    // Foundation writes a `Decimal` that isn't a number as `NaN`, and can't read the file.
    if data.range(of: Data("NaN".utf8)) != nil {
      _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }
    return data
  }

  /// Decodes a saved value from JSON.
  public func decode<Saved: Decodable>(_ type: Saved.Type, from data: Data) throws -> Saved {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return try decoder.decode(type, from: data)
  }
}
