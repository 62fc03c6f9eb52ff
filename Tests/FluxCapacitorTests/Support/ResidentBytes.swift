import Foundation

/// The process's own memory, without that of files such as its program, which the system drops and loads again as it likes.
/// The result is 0 on systems other than Linux.
func residentBytes() -> Int {
  let statistics = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
  let pages = statistics.split(separator: " ").prefix(3).compactMap { Int($0) }
  return pages.count < 3 ? 0 : (pages[1] - pages[2]) * Int(getpagesize())
}
