import Foundation

extension JSONEncoder {
  /// An encoder that always writes the same JSON for the same value, on one line.
  static var ofFiles: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
