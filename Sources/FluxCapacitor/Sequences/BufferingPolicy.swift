/// A rule for the values that a sequence keeps for a slow consumer.
///
/// The last value always arrives, because no policy discards it.
///
/// ```swift
/// let progress = Variable(0.0)
/// for await fraction in progress.values(buffering: .bufferingOldest(10)) {
///   print(fraction)
/// }
/// ```
public struct BufferingPolicy: Sendable, Hashable {
  @usableFromInline let limit: Int
  @usableFromInline let keepsOldest: Bool

  /// Keeps every value until the consumer takes it.
  public static let unbounded = bufferingNewest(.max)

  /// Keeps the newest values, and discards older ones.
  ///
  /// - Parameter limit: The number of values to keep, which must be at least 1.
  public static func bufferingNewest(_ limit: Int) -> BufferingPolicy {
    BufferingPolicy(limit: checked(limit), keepsOldest: false)
  }

  /// Keeps the oldest values and, after them, the newest value.
  ///
  /// - Parameter limit: The number of oldest values to keep, which must be at least 1. The newest value is
  ///   kept in addition, if it doesn't fit.
  public static func bufferingOldest(_ limit: Int) -> BufferingPolicy {
    BufferingPolicy(limit: checked(limit), keepsOldest: true)
  }

  private static func checked(_ limit: Int) -> Int {
    if limit < 1 {
      trap(
        "A BufferingPolicy can't keep \(limit) values, because the last value must always arrive.",
        "The limit must be at least 1."
      )
    }
    return limit
  }
}
