import Foundation

/// Whether the environment variable THOROUGH is set.
package let isThorough = ProcessInfo.processInfo.environment["THOROUGH"] != nil

/// Returns `count` if the environment variable THOROUGH is set, and a hundredth of `count` otherwise.
package func stress(_ count: Int) -> Int {
  isThorough ? count : max(1, count / 100)
}
