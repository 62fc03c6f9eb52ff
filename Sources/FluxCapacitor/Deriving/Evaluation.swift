/// The values of derived constants at one state of the variables that the constants derive from.
///
/// All variables are locked while their values are captured, so the captured values belong together. The
/// evaluation then runs the formulas of the constants with no lock held. The constants are computed in a
/// loop, each after its sources, because recursion along a long chain would overflow the stack.
@usableFromInline final class Evaluation {
  /// The values of variables at one moment. Several threads can evaluate constants from the same values.
  final class Start: Sendable {
    fileprivate let results: [ObjectIdentifier: Result]

    /// Captures the values of the node's variables. The caller must hold the locks of these variables.
    init(of node: Node) {
      var results: [ObjectIdentifier: Result] = [:]
      for root in node.roots.map(\.channel) {
        let id = ObjectIdentifier(root)
        results[id] = Result(channel: id, value: root.anyValue, edition: StateID(root.version))
      }
      self.results = results
    }
  }

  fileprivate struct Result: Sendable {
    let channel: ObjectIdentifier
    let value: any Sendable
    let edition: StateID
  }

  let start: Start

  /// The values computed so far, starting with the values of the variables. The edition of a variable is
  /// its version.
  private var results: [ObjectIdentifier: Result]

  /// The most recent result, which the next constant in a chain uses.
  private var latest: Result?

  init(from start: Start) {
    self.start = start
    results = start.results
  }

  private func result(of channel: AnyChannel) -> Result? {
    let id = ObjectIdentifier(channel)
    return latest?.channel == id ? latest : results[id]
  }

  @usableFromInline func value<Value>(of channel: AnyChannel) -> Value {
    result(of: channel)?.value as? Value ?? channel.trapUncomputed()
  }

  /// Computes a derived constant, after computing each constant upstream that has no result yet.
  @usableFromInline func compute(_ channel: AnyChannel) {
    channel.derivedNode?.visitSourcesFirst(unless: { $0.channel.use(result) != nil }) { node in
      node.channel.use { node.operations.evaluate($0, self) }
    }
  }

  @usableFromInline func add(_ value: any Sendable, edition: StateID, of channel: AnyChannel) {
    let result = Result(channel: ObjectIdentifier(channel), value: value, edition: edition)
    (results[result.channel], latest) = (result, result)
  }

  @usableFromInline func edition(of channel: AnyChannel) -> StateID {
    result(of: channel)?.edition ?? .zero
  }

  /// Returns the editions of a node's sources, combined into one number.
  @usableFromInline func editionOfSources(of node: Node) -> StateID {
    node.sources.reduce(.zero) { sum, source in
      sum + source.use { $0.weight * edition(of: $0.channel) }
    }
  }

  /// Returns the state of the variables that a node derives from.
  @usableFromInline func state(of node: Node) -> StateID { node.state(edition) }
}

/// The place from which a formula reads the values of its sources.
@usableFromInline enum Reading {
  /// The values that the region's deliverer has computed. An input instead provides the value that was
  /// brought to the input.
  case region

  /// The values that an evaluation contains.
  case evaluation(Evaluation)

  /// The value of the only source, which is a variable. The formula stores the variable's version at
  /// this address.
  case variable(UnsafeMutablePointer<Version>)
}

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
