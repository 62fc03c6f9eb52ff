import FluxCapacitorTesting

/// The numbers that a scenario's threads have logged, in order.
final class Log: @unchecked Sendable {
  // This array needs no lock, because only one thread of the scenario runs at a time.
  private(set) var entries: [Int] = []

  func append(_ number: Int) {
    interleavingPoint()
    entries.append(number)
  }
}
