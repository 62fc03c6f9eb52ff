/// Decides which values a sequence keeps for a slow consumer. No policy discards the last value.
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

  /// Keeps every value until the consumer receives it.
  public static let unbounded = bufferingNewest(.max)

  /// Keeps the newest values, and discards older ones.
  ///
  /// - Precondition: `limit` is at least 1.
  /// - Parameter limit: The number of values to keep.
  public static func bufferingNewest(_ limit: Int) -> BufferingPolicy {
    BufferingPolicy(limit: limit, keepsOldest: false)
  }

  /// Keeps the oldest values, followed by the newest one.
  ///
  /// - Precondition: `limit` is at least 1.
  /// - Parameter limit: The number of oldest values to keep. If the newest value exceeds this limit, it is kept in
  ///   addition.
  public static func bufferingOldest(_ limit: Int) -> BufferingPolicy {
    BufferingPolicy(limit: limit, keepsOldest: true)
  }

  private init(limit: Int, keepsOldest: Bool) {
    if limit < 1 {
      trap(
        "A BufferingPolicy can't keep \(limit) values, because the last value must always arrive.",
        "The limit must be at least 1."
      )
    }
    self.limit = limit
    self.keepsOldest = keepsOldest
  }
}
