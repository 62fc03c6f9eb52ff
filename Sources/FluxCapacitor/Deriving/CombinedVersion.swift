/// A number that tells the states of several variables from each other: the sum of their versions,
/// each times a random factor.
///
/// A sum can be made along a graph, step by step, and comes out the same as one over the variables.
/// It is taken modulo a prime, where no product of factors is zero and, however often they are added
/// up in diamonds, two states are as unlikely to agree as any two numbers of 61 bits.
@usableFromInline
struct CombinedVersion: Equatable, Sendable {
  @usableFromInline var value: UInt64

  @usableFromInline static let zero = CombinedVersion(0)
  @usableFromInline static let one = CombinedVersion(1)

  @inlinable static var prime: UInt64 { 1 << 61 - 1 }

  /// That of a single variable: its version.
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
    // 2^61 leaves one: what is above 61 bits is added to what is below.
    let (high, low) = left.value.multipliedFullWidth(by: right.value)
    return CombinedVersion(low & prime) + CombinedVersion(high << 3 | low >> 61)
  }
}

/// What tells a value that was computed from others.
@usableFromInline
struct Revision {
  /// The state of the variables that it derives from.
  @usableFromInline var state: CombinedVersion

  /// The value itself: it stays when the state has changed and the value has not.
  @usableFromInline var edition: CombinedVersion

  /// That of a variable, at one of its versions.
  @inlinable
  init(ofVariable version: UInt64) {
    state = CombinedVersion(version)
    edition = state
  }

  @inlinable
  init(state: CombinedVersion = .zero, edition: CombinedVersion = .zero) {
    self.state = state
    self.edition = edition
  }
}
