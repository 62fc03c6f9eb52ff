import Foundation

extension Duration {
  /// The duration in words, such as "20 seconds" or "2 hours". Minutes and hours are rounded up.
  var inWords: String {
    let seconds = self / .seconds(1)
    let (count, unit) =
      switch seconds {
      case ..<120: (seconds, "second")
      case ..<7_200: ((seconds / 60).rounded(.up), "minute")
      default: ((seconds / 3_600).rounded(.up), "hour")
      }
    let number = count.formatted(
      .number.precision(.fractionLength(0...3)).locale(Locale(identifier: "en_US"))
    )
    return "\(number) \(unit)\(count == 1 ? "" : "s")"
  }
}
