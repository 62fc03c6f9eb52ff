import FluxCapacitor
import Foundation

/// Measures this library and handwritten code alternately, in one process.
///
///     swift run -c release FluxCapacitorBenchmarks [--quick] [NAME…]
///
/// A NAME selects the rows that have this text in their names.
@main
struct FluxCapacitorBenchmarks {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    if let flag = arguments.firstIndex(of: Memory.flag) {
      return arguments[(flag + 1)...].compactMap(Memory.init).forEach { print($0.measure()) }
    }
    let names = arguments.filter { !$0.hasPrefix("--") }
    let isQuick = arguments.contains("--quick")
    let repeats = isQuick ? 5 : 15
    let scale = isQuick ? 100 : 300

    func isWanted(_ name: String) -> Bool {
      names.isEmpty || names.contains { name.localizedStandardContains($0) }
    }

    let report = Report()
    report.begin()
    let rows =
      rows(scale: scale) + derivedRows(scale: scale) + graphRows(scale: scale)
      + tableRows(scale: scale) + persistenceRows() + serverRows() + explorerRows()
    for row in rows where isWanted(row.name) {
      report.add(row.result(repeats: repeats))
    }
    for growth in growths(scale: scale) + tableGrowths(scale: scale) where isWanted(growth.name) {
      report.add(growth.result(repeats: repeats))
    }
  }
}
