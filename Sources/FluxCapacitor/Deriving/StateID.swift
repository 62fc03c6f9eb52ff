/// A number that identifies a state of the variables that a derived constant derives from. The number is
/// the sum of the variables' versions, each multiplied by a factor. If a constant has several sources,
/// the factors are random.
///
/// The sum can be computed step by step along the graph, with the same result as directly from the
/// variables. The sum is taken modulo a prime, so a product of nonzero factors is never zero. Even in a
/// graph with many diamonds, two different states are equal as rarely as two random 61-bit numbers.
@usableFromInline struct StateID: Equatable, Sendable {
  @usableFromInline var value: UInt64

  @inlinable static var zero: StateID { StateID(value: 0) }
  @inlinable static var one: StateID { StateID(value: 1) }
  @inlinable static var prime: UInt64 { (1 << 61) - 1 }

  @inlinable init(value: UInt64) { self.value = value }

  /// Creates the state of a single variable.
  @inlinable init(_ version: Version) { value = version.count }

  static func random() -> StateID { StateID(value: .random(in: 1..<prime)) }

  @inlinable static func + (left: StateID, right: StateID) -> StateID {
    let sum = left.value &+ right.value
    return StateID(value: sum >= prime ? sum &- prime : sum)
  }

  @inlinable static func * (left: StateID, right: StateID) -> StateID {
    // Modulo the prime, 2^61 equals 1. So the bits above the lowest 61 bits are added to the lowest 61
    // bits.
    let (high, low) = left.value.multipliedFullWidth(by: right.value)
    return StateID(value: low & prime) + StateID(value: high << 3 | low >> 61)
  }
}
