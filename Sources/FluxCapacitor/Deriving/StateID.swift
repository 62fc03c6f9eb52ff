/// A number that identifies a state of the variables that a derived constant derives from. It is
/// the sum of their versions, each multiplied by a random factor.
///
/// The sum can be computed step by step along a graph, with the same result as directly from the
/// variables. It is taken modulo a prime, so no product of factors is zero. However many diamonds
/// add them up, two different states are as unlikely to agree as any two numbers of 61 bits.
@usableFromInline struct StateID: Equatable, Sendable {
  @usableFromInline var value: UInt64

  @inlinable static var zero: StateID { StateID(value: 0) }
  @inlinable static var one: StateID { StateID(value: 1) }
  @inlinable static var prime: UInt64 { (1 << 61) - 1 }

  @inlinable init(value: UInt64) { self.value = value }

  /// The state of a single variable.
  @inlinable init(_ version: Version) { value = version.count }

  static func random() -> StateID { StateID(value: .random(in: 1..<prime)) }

  @inlinable static func + (left: StateID, right: StateID) -> StateID {
    let sum = left.value &+ right.value
    return StateID(value: sum >= prime ? sum &- prime : sum)
  }

  @inlinable static func * (left: StateID, right: StateID) -> StateID {
    // 2^61 is 1 modulo the prime, so the bits above the lowest 61 are added to the lowest 61.
    let (high, low) = left.value.multipliedFullWidth(by: right.value)
    return StateID(value: low & prime) + StateID(value: high << 3 | low >> 61)
  }
}
