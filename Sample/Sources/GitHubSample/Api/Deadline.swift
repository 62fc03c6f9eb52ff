/// The time by which a command has to be done.
package struct Deadline: Sendable {
  /// How long there was from the beginning.
  package let total: Duration
  private let end: ContinuousClock.Instant

  package init(after total: Duration) {
    self.total = total
    end = .now + total
  }

  package var remaining: Duration { max(.zero, end - .now) }
}
