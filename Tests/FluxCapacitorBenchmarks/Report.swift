import Foundation

/// Prints the results as a table for human readers.
struct Report {
  private let nameWidth = 56

  func begin() {
    let columns = ["floor min", "median", "ours min", "median", "ratio"]
    print(pad("", nameWidth) + columns.map { padLeft($0, 12) }.joined() + "   limit")
  }

  func add(_ result: RowResult) {
    let numbers = [
      result.floor.minimum, result.floor.median, result.ours.minimum, result.ours.median,
      result.ratio,
    ]
    let limits = result.row.limits.map { limit in
      switch limit {
      case .ratio(let limit): "≤ \(limit) ×"
      case .absolute(let limit):
        "≤ \(limit < 1 ? "\(limit)" : "\(Int(limit))") \(result.row.unit)"
      }
    }
    let verdict = result.isWithinLimit ? "" : "  MISSED"
    print(
      pad("\(result.row.name), \(result.row.unit)", nameWidth)
        + numbers.map { padLeft(format($0), 12) }.joined()
        + "   \(limits.joined(separator: ", "))\(verdict)"
    )
  }

  func add(_ result: GrowthResult) {
    let points = zip(result.sizes, result.medians).map { "\($0): \(format($1)) ns" }
    print(
      "\(pad(result.name, nameWidth))  exponent \(format(result.exponent))"
        + "  (\(points.joined(separator: ", ")))"
    )
  }

  private func format(_ number: Double) -> String {
    String(format: number < 1_000 ? "%.2f" : "%.0f", number)
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private func padLeft(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
