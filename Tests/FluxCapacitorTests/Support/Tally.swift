import FluxCapacitor
import Synchronization

/// Counts calls.
final class Tally: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add() { count.add(1, ordering: .relaxed) }
}

extension PrimitiveValue {
  /// Derives a constant that counts the calls of its transform.
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
