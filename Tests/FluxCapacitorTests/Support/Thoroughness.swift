import Foundation

/// Returns `count` if the environment variable THOROUGH is set, and a fiftieth of `count` otherwise.
func stress(_ count: Int) -> Int {
  isThorough ? count : max(1, count / 50)
}

private let isThorough = ProcessInfo.processInfo.environment["THOROUGH"] != nil
