import Foundation

/// Creates data in the gzip format without compressing the content.
enum Gzip {
  static func stored(_ data: Data) -> Data {
    let length = UInt16(data.count)
    return Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
      + Data([1]) + bytes(of: length) + bytes(of: ~length) + data
      + bytes(of: checksum(of: data)) + bytes(of: UInt32(data.count))
  }

  private static func bytes(of number: some FixedWidthInteger) -> Data {
    withUnsafeBytes(of: number.littleEndian) { Data($0) }
  }

  /// CRC-32.
  private static func checksum(of data: Data) -> UInt32 {
    ~data.reduce(~0) { checksum, byte in
      (0..<8).reduce(checksum ^ UInt32(byte)) { rest, _ in
        rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1
      }
    }
  }
}
