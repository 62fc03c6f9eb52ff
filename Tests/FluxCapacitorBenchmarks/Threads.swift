import Dispatch
import Foundation
import Synchronization

/// Blocks several threads until the last thread has arrived.
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

/// Runs a body on several new threads at the same time, and waits until all threads have ended.
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
