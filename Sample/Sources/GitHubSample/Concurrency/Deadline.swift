/// The time by which a command must end.
package struct Deadline: Sendable {
  /// The total time that the command is allowed to take.
  package let total: Duration
  private let end: ContinuousClock.Instant
  private let uncounted: @Sendable () -> Duration

  /// - Parameter uncounted: A closure that returns the part of the elapsed time that doesn't count.
  package init(
    after total: Duration,
    notCounting uncounted: @escaping @Sendable () -> Duration = { .zero }
  ) {
    self.total = total
    self.uncounted = uncounted
    end = .now + total
  }

  package var remaining: Duration { max(.zero, end + uncounted() - .now) }
}
