import FluxCapacitor
import Synchronization

/// Counts calls or living objects on several threads.
///
/// The accesses are relaxed, so they hide no race from the thread sanitizer.
final class Tally: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add(_ amount: Int = 1) { count.add(amount, ordering: .relaxed) }

  func reset() { count.store(0, ordering: .relaxed) }
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
