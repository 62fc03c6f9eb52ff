import Foundation

/// The time since a date in words, such as "3 hours ago".
package enum RelativeTime {
  private static let units: [(name: String, seconds: Double)] = [
    ("year", 365 * 86_400), ("month", 30 * 86_400), ("day", 86_400), ("hour", 3_600),
    ("minute", 60),
  ]

  package static func text(for date: Date, now: Date) -> String {
    let seconds = now.timeIntervalSince(date)
    guard let unit = units.first(where: { seconds >= $0.seconds }) else { return "just now" }
    // A file that was edited can contain a date that is further away than the largest number.
    let count = Int(min(seconds / unit.seconds, 1e9))
    return "\(count) \(unit.name)\(count == 1 ? "" : "s") ago"
  }
}
