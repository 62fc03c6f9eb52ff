/// A number that identifies a state of several variables: the sum of their versions, each times a
/// random factor.
///
/// The sum can be computed step by step along a graph, with the same result as directly from the
/// variables. It is taken modulo a prime, so that no product of factors is zero: however often
/// diamonds add them up, two states are as unlikely to agree as any two numbers of 61 bits.
@usableFromInline
struct CombinedVersion: Equatable, Sendable {
  @usableFromInline var value: UInt64

  @inlinable static var zero: CombinedVersion { CombinedVersion(0) }
  @inlinable static var one: CombinedVersion { CombinedVersion(1) }
  @inlinable static var prime: UInt64 { (1 << 61) - 1 }

  /// The state of a single variable: its version.
  @inlinable
  init(_ version: UInt64) {
    value = version
  }

  static func random() -> CombinedVersion {
    CombinedVersion(.random(in: 1..<prime))
  }

  @inlinable
  static func + (left: CombinedVersion, right: CombinedVersion) -> CombinedVersion {
    let sum = left.value &+ right.value
    return CombinedVersion(sum >= prime ? sum &- prime : sum)
  }

  @inlinable
  static func * (left: CombinedVersion, right: CombinedVersion) -> CombinedVersion {
    // 2^61 is 1 modulo the prime, so the bits above the lowest 61 are added to those.
    let (high, low) = left.value.multipliedFullWidth(by: right.value)
    return CombinedVersion(low & prime) + CombinedVersion(high << 3 | low >> 61)
  }
}

/// Identifies a computed value, and the state that it was computed from.
@usableFromInline
struct Revision {
  /// The state of the variables that it derives from.
  @usableFromInline var state: CombinedVersion

  /// Identifies the value itself: it stays the same when the state changes but the value doesn't.
  @usableFromInline var edition: CombinedVersion

  /// A revision whose edition is its state, as that of a variable is, unless it has another.
  @inlinable
  init(state: CombinedVersion = .zero, edition: CombinedVersion? = nil) {
    self.state = state
    self.edition = edition ?? state
  }
}
