import Dispatch
import Foundation
import Synchronization

/// Holds a number of threads until the last of them has arrived.
private final class Gate: Sendable {
  private let missing: Atomic<Int>

  init(_ count: Int) {
    missing = Atomic(count)
  }

  func pass() {
    missing.subtract(1, ordering: .acquiringAndReleasing)
    while missing.load(ordering: .acquiring) > 0 {}
  }
}

/// Runs a body on several new threads, which start together, and waits for them.
func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
  let done = DispatchGroup()
  let gate = Gate(count)
  for _ in 0..<count {
    done.enter()
    Thread.detachNewThread {
      gate.pass()
      body()
      done.leave()
    }
  }
  done.wait()
}
