/// What a sequence keeps for a consumer that is slower than the changes.
///
/// Whatever it is, the last value arrives: no policy throws it away.
///
/// ```swift
/// let progress = Variable(0.0)
/// for await fraction in progress.values(buffering: .bufferingOldest(10)) {
///   print(fraction)
/// }
/// ```
public struct BufferingPolicy: Sendable, Hashable {
  @usableFromInline let kind: Kind

  @usableFromInline
  enum Kind: Hashable, Sendable {
    case unbounded
    case newest(Int)
    case oldest(Int)
  }

  /// Keeps every value until the consumer takes it.
  public static let unbounded = BufferingPolicy(kind: .unbounded)

  /// Keeps the newest values, and throws older ones away.
  ///
  /// - Parameter limit: How many are kept: one or more.
  public static func bufferingNewest(_ limit: Int) -> BufferingPolicy {
    BufferingPolicy(kind: .newest(checked(limit)))
  }

  /// Keeps the oldest values and, of those that find no room, the newest one: that comes after them.
  ///
  /// - Parameter limit: How many are kept, besides that newest one: one or more.
  public static func bufferingOldest(_ limit: Int) -> BufferingPolicy {
    BufferingPolicy(kind: .oldest(checked(limit)))
  }

  private static func checked(_ limit: Int) -> Int {
    if limit < 1 {
      trap(
        """
        A BufferingPolicy was asked to keep \(limit) values, and the last value could not arrive. \
        Let it keep one or more.
        """
      )
    }
    return limit
  }
}
