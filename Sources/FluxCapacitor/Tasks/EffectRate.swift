/// The operations that count for the policy `.atMost`: those that have begun within its duration, and those that may begin
/// and haven't done so yet.
struct EffectRate: ~Copyable {
  private let limit: Int
  private let duration: Duration

  /// The times at which operations have begun, in order.
  private var beginnings = FIFO<Duration>()
  private var admitted = 0

  /// The instant of the first use, from which the times are measured.
  private var origin: (any Sendable)?

  init?(_ policy: Effects.Policy) {
    guard case .atMost(let limit, let duration) = policy else { return nil }
    (self.limit, self.duration) = (limit, duration)
  }

  /// Returns the instant of the first use, which is now if there was none.
  mutating func origin(orNow now: any Sendable) -> any Sendable {
    let first = origin ?? now
    origin = first
    return first
  }

  /// Admits an effect that begins without a pause, unless the limit is reached.
  mutating func admit(_ effect: Effect, at time: Duration) -> Bool {
    if isExhausted(at: time) { return false }
    admitted += 1
    effect.isAdmitted = true
    return true
  }

  /// Notes that an operation begins, unless it isn't admitted yet and the limit is reached.
  mutating func begin(_ effect: Effect, at time: Duration) -> Bool {
    if !effect.isAdmitted, isExhausted(at: time) { return false }
    forget(effect)
    // Another thread might have read a later time before.
    let last = beginnings.isEmpty ? time : beginnings[beginnings.count - 1]
    beginnings.append(max(time, last))
    return true
  }

  /// Forgets that an effect is admitted.
  mutating func forget(_ effect: Effect) {
    if effect.isAdmitted { admitted -= 1 }
    effect.isAdmitted = false
  }

  /// Whether a beginning still counts.
  func counts(_ beginning: Duration, at time: Duration) -> Bool { time - beginning < duration }

  /// - Complexity: O(1), amortized.
  private mutating func isExhausted(at time: Duration) -> Bool {
    while !beginnings.isEmpty, !counts(beginnings[0], at: time) { _ = beginnings.popFirst() }
    return Int(beginnings.count) + admitted >= limit
  }
}
