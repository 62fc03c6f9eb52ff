/// What a sequence keeps for a consumer that is slower than the changes.
///
/// The last value always arrives: no policy discards it.
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
  /// - Parameter limit: How many values to keep: one or more.
  public static func bufferingNewest(_ limit: Int) -> BufferingPolicy {
    BufferingPolicy(limit: checked(limit), keepsOldest: false)
  }

  /// Keeps the oldest values and, after them, the newest of those that don't fit.
  ///
  /// - Parameter limit: How many values to keep, besides that newest one: one or more.
  public static func bufferingOldest(_ limit: Int) -> BufferingPolicy {
    BufferingPolicy(limit: checked(limit), keepsOldest: true)
  }

  private static func checked(_ limit: Int) -> Int {
    if limit < 1 {
      trap(
        "A BufferingPolicy was asked to keep \(limit) values, and the last value could not arrive.",
        "Let it keep one or more."
      )
    }
    return limit
  }
}
