import FluxCapacitor
import Foundation

/// A measurement of the memory per object.
///
/// A new process creates 100,000 objects, or 5,000 sessions, because objects in a used process could reuse freed memory.
enum Memory: String {
  case floorVariable, variable, floorObserver, observer, floorSession, session

  /// The bytes per object. A new process of this executable measures the bytes for the case in its
  /// argument.
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

  /// Measures the bytes per object. The process that `bytes` starts calls this method.
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
    case .floorSession:
      return residentBytes(count: 5_000) { _ in
        let dispatcher = Dispatcher()
        return (dispatcher, VoteStore.instantiate(on: dispatcher))
      }
    case .session:
      let server = Server()
      return residentBytes(count: 5_000) { id in server.vote(on: id) }
    }
  }

  /// Returns the growth of the process's memory per object, without the array that contains the objects.
  private func residentBytes<Thing>(count: Int = 100_000, _ make: (Int) -> Thing) -> Double {
    var things: [Thing] = []
    things.reserveCapacity(count)
    for index in 0..<100 { things.append(make(index)) }
    // The first call isn't measured. It loads code into memory, which the measured growth must not
    // include.
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
