import Foundation

/// How often a race is run: as often as it says when THOROUGH is set in the environment, and a fiftieth of
/// that otherwise, for what it is about is explored in InterleavingTests.
func stress(_ count: Int) -> Int {
  isThorough ? count : max(1, count / 50)
}

private let isThorough = ProcessInfo.processInfo.environment["THOROUGH"] != nil
