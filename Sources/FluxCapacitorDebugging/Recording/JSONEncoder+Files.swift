import Foundation

extension JSONEncoder {
  /// An encoder that writes the same value in the same way each time, on one line.
  static var ofFiles: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
