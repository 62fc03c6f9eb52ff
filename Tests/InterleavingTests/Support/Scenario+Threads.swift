import FluxCapacitor
import FluxCapacitorTesting

extension Scenario {
  /// Adds a thread for each number. Each thread calls the body with its number.
  func threads(
    _ numbers: ClosedRange<Int>,
    _ body: @escaping @Sendable (Int) throws -> Void
  ) {
    for number in numbers { thread { try body(number) } }
  }

  /// Adds a thread that makes a transaction.
  func transaction(
    on dispatcher: Dispatcher = .shared,
    _ body: @escaping @Sendable () -> Void
  ) {
    thread { dispatcher.transaction(body) }
  }

  /// Keeps objects alive until all threads have ended.
  func keep(_ objects: Any...) {
    check { withExtendedLifetime(objects) {} }
  }
}
