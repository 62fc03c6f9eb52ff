import Foundation

extension JSONEncoder {
  /// An encoder that always writes the same JSON for the same value, on one line. The numbers infinity and NaN,
  /// which JSON lacks, are the texts "inf", "-inf" and "nan".
  static var ofFiles: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return encoder
  }
}

extension JSONDecoder {
  /// A decoder for the text of `JSONEncoder.ofFiles`.
  static var ofFiles: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return decoder
  }
}
