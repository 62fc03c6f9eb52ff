/// A line of small bars that show each language's share of the repositories.
package enum LanguageBar {
  private static let mostLanguages = 5
  private static let longestBar = 10
  private static let longestName = 20

  /// Returns a line such as "Swift ████████▌ 84% · C ▌ 9%".
  ///
  /// - Returns: The line, or nil if no repository has a language or if the width is too small for a
  ///   bar.
  package static func line(
    for languages: [String],
    width: Int,
    hasColors: Bool
  ) -> String? {
    let languages = languages.map(\.sanitized).filter { !$0.isEmpty }
    guard !languages.isEmpty else { return nil }
    let counts = Dictionary(languages.map { ($0, 1) }, uniquingKeysWith: +)
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var line = ""
    var room = width
    for (index, (language, count)) in counts.prefix(mostLanguages).enumerated() {
      let share = Double(count) / Double(languages.count)
      let percent = "\(Int((share * 100).rounded()))%"
      let name = language.cut(to: longestName)
      let bar = bar(for: share)
      let separator = index == 0 ? "" : " · "
      room -= separator.columns + name.columns + bar.columns + percent.columns + 2
      guard room >= 0 else { break }
      line += "\(separator)\(name) \(Style.green.applied(to: bar, if: hasColors)) \(percent)"
    }
    return line.isEmpty ? nil : line
  }

  private static func bar(for share: Double) -> String {
    let halves = max(1, Int((share * Double(2 * longestBar)).rounded()))
    return String(repeating: "█", count: halves / 2) + (halves % 2 == 1 ? "▌" : "")
  }
}
