/// The time by which a command has to be done.
package struct Deadline: Sendable {
  /// The time that was allowed at the start.
  package let total: Duration
  private let end: ContinuousClock.Instant
  private let uncounted: @Sendable () -> Duration

  /// - Parameter uncounted: How much of the time that has passed was not the command's own.
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
