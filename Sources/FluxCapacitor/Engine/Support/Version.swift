/// The number of writes, events or announced changes that a channel has had.
@usableFromInline package struct Version: Comparable, Sendable {
  @usableFromInline let count: UInt64

  @inlinable init(_ count: UInt64) { self.count = count }

  /// The version before any write. Nothing is delivered through it.
  @inlinable static var beginning: Version { Version(0) }

  /// A version that no channel reaches.
  @inlinable static var never: Version { Version(.max) }

  @inlinable var next: Version { Version(count &+ 1) }
  var previous: Version { Version(count &- 1) }

  @inlinable
  package static func < (left: Version, right: Version) -> Bool { left.count < right.count }
}

/// A number that stands for the versions of all variables that a derived constant derives from. Two values of
/// the constant with the same fingerprint were computed from the same values of the variables.
///
/// The number is the sum of the variables' versions, each multiplied by a coefficient. The coefficient of a region's own
/// variable is 1, and the inputs of a region have random ones. The sum can be computed step by step along the graph, with
/// the same result as directly from the variables. It is taken modulo a prime, so a product of nonzero coefficients is never
/// zero. Even in a graph with many diamonds, two different states of the variables have the same fingerprint as rarely as
/// two random 61-bit numbers are equal.
@usableFromInline struct Fingerprint: Equatable, Sendable {
  @usableFromInline var value: UInt64

  @inlinable static var zero: Fingerprint { Fingerprint(value: 0) }
  @inlinable static var one: Fingerprint { Fingerprint(value: 1) }
  @inlinable static var prime: UInt64 { (1 << 61) - 1 }

  @inlinable init(value: UInt64) { self.value = value }

  /// Creates the fingerprint for a single variable.
  @inlinable init(_ version: Version) { value = version.count }

  /// The fingerprint of a provisional value, which no sum equals; see `Evaluation.isProvisional`.
  @usableFromInline var ofProvisional: Fingerprint { Fingerprint(value: value | 1 << 63) }

  static func random() -> Fingerprint { Fingerprint(value: .random(in: 1..<prime)) }

  @inlinable static func + (left: Fingerprint, right: Fingerprint) -> Fingerprint {
    let sum = left.value &+ right.value
    return Fingerprint(value: sum >= prime ? sum &- prime : sum)
  }

  @inlinable static func * (left: Fingerprint, right: Fingerprint) -> Fingerprint {
    // Modulo the prime, 2^61 equals 1. So the bits above the lowest 61 bits are added to the lowest 61
    // bits.
    let (high, low) = left.value.multipliedFullWidth(by: right.value)
    return Fingerprint(value: low & prime) + Fingerprint(value: high << 3 | low >> 61)
  }
}
