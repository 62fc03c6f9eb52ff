import FluxCapacitor
import Foundation

/// What something takes in memory: 100,000 of it, measured in a process of its own, where no freed
/// memory stands by to be used again.
enum Memory: String {
  case floorVariable, variable, floorObserver, observer

  /// Bytes for each, measured by this executable, started with the name of the case.
  var bytes: Double {
    let process = Process()
    let output = Pipe()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [Memory.flag, rawValue]
    process.standardOutput = output
    do {
      try process.run()
    } catch {
      return .nan
    }
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Double(String(decoding: printed, as: UTF8.self).filter { !$0.isWhitespace }) ?? .nan
  }

  static let flag = "--bytes-of"

  /// What the process that `bytes` starts does.
  func measure() -> Double {
    let sum = Sum()
    switch self {
    case .floorVariable: return residentBytes { FloorVariable($0) }
    case .variable: return residentBytes { Variable($0) }
    case .floorObserver:
      let variable = FloorVariable(0)
      return residentBytes { _ in variable.observe { sum.add($0) } }
    case .observer:
      let variable = Variable(0)
      return residentBytes { _ in variable.observe(ignoreFirst: true) { sum.add($0) } }
    }
  }

  /// By how much the process grows with each thing, the array that keeps them apart.
  private func residentBytes<Thing>(_ make: (Int) -> Thing) -> Double {
    let count = 100_000
    var things: [Thing] = []
    things.reserveCapacity(count)
    for index in 0..<100 { things.append(make(index)) }
    // The first reading loads code, whose pages would count for the things.
    _ = residentBytes()
    let before = residentBytes()
    for index in 100..<count { things.append(make(index)) }
    let after = residentBytes()
    blackHole(things)
    let array = MemoryLayout<Thing>.stride * (count - 100)
    return Double(after - before - array) / Double(count - 100)
  }

  private func residentBytes() -> Int {
    let statistics = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = statistics.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(getpagesize())
  }
}
