import Foundation

extension JSONEncoder {
  /// One that writes the same value in the same way each time, on one line.
  static var ofFiles: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
