import FluxCapacitorTesting

/// The numbers that the threads of a scenario log, in order.
final class Log: @unchecked Sendable {
  // One thread of the scenario runs at a time.
  private(set) var entries: [Int] = []

  func append(_ number: Int) {
    interleavingPoint()
    entries.append(number)
  }
}
