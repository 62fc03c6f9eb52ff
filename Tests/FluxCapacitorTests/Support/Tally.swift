import FluxCapacitor
import Synchronization

/// Counts calls.
final class Tally: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add() { count.add(1, ordering: .relaxed) }
}

extension PrimitiveValue {
  /// A derived constant that counts how often it is computed.
  func map<Result: Sendable>(
    counting tally: Tally,
    _ transform: @escaping @Sendable (Element) -> Result
  ) -> Constant<Result> {
    map { value in
      tally.add()
      return transform(value)
    }
  }
}
