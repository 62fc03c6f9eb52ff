import Foundation

/// The checksum CRC-32, which detects damage to a file. Common tools can compute it too.
package struct Checksum: Equatable {
  private var value: UInt32

  package init(of bytes: some Sequence<UInt8>) {
    var value = ~UInt32(0)
    for byte in bytes {
      value = Checksum.table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8)
    }
    self.value = ~value
  }

  /// The checksum as eight hexadecimal digits.
  package var text: String { value.hexadecimal }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 0 ? value >> 1 : 0xEDB8_8320 ^ (value >> 1)
    }
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The hexadecimal digits of this number, with leading zeros.
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
  }
}
