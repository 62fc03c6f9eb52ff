import Foundation

/// The hash function SHA-256 (FIPS 180-4), for names of files that no two texts share.
package enum SHA256 {
  /// Returns the 64 hexadecimal digits of the hash of bytes.
  package static func hash(of bytes: [UInt8]) -> String {
    var padded = bytes + [0x80]
    padded += Array(repeating: 0, count: (120 - padded.count % 64) % 64)
    padded += withUnsafeBytes(of: UInt64(bytes.count * 8).bigEndian, Array.init)

    var state = initialState
    for start in stride(from: 0, to: padded.count, by: 64) {
      add(padded[start..<(start + 64)], to: &state)
    }
    return state.map(\.hexadecimal).joined()
  }

  private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
      block[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let first = early.rotated(7) ^ early.rotated(18) ^ early >> 3
      let second = late.rotated(17) ^ late.rotated(19) ^ late >> 10
      words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    // The names of the variables are those of the standard.
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let choice = e & f ^ ~e & g
      let first = h &+ (e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)) &+ choice
      let sum = first &+ constants[index] &+ words[index]
      let majority = a & b ^ a & c ^ b & c
      let second = (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ majority
      (a, b, c, d, e, f, g, h) = (sum &+ second, a, b, c, d &+ sum, e, f, g)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  /// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
  private static let initialState = primes(8).map { fraction(of: Double($0).squareRoot()) }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants = primes(64).map { fraction(of: cbrt(Double($0))) }

  private static func primes(_ count: Int) -> [Int] {
    let all = (2...).lazy.filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
    return Array(all.prefix(count))
  }

  private static func fraction(of number: Double) -> UInt32 {
    UInt32((number - number.rounded(.down)) * 4_294_967_296)
  }
}

extension UInt32 {
  fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
