import Foundation

/// Returns the number of rounds of a race: the given number if THOROUGH is set in the environment, and a
/// fiftieth of it otherwise.
///
/// InterleavingTests explores the promises that the races are about.
func stress(_ count: Int) -> Int {
  isThorough ? count : max(1, count / 50)
}

private let isThorough = ProcessInfo.processInfo.environment["THOROUGH"] != nil
