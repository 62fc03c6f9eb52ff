import Foundation

/// The memory that the process uses, or 0 on systems other than Linux.
func residentBytes() -> Int {
  let statistics = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
  let pages = statistics.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  return pages * Int(getpagesize())
}
