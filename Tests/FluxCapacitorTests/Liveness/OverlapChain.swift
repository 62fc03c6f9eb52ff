import Foundation

/// Forces the bodies of two threads to overlap in every round, so that at each moment a body is open.
///
/// Each body ends only after the other thread's next body has begun:
///
/// | thread 0 | begins | | ends | begins | | ends | … |
/// |---|---|---|---|---|---|---|---|
/// | thread 1 | | begins | | | ends, begins | | … |
final class OverlapChain: Sendable {
  /// The begun bodies of each thread that the other thread has not waited for yet.
  private let begun = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]

  /// Runs bodies on two threads, and waits for the end of both threads.
  ///
  /// - Parameters:
  ///   - rounds: The number of bodies that each thread runs.
  ///   - run: Runs one body. The closure receives the number of the thread and the number of the round, and a
  ///     closure to call inside the body.
  func run(
    _ rounds: Int,
    _ run: @escaping @Sendable (_ thread: Int, _ round: Int, _ overlap: () -> Void) -> Void
  ) async {
    await inParallel(2) { [begun] thread in
      let (own, other) = (begun[thread], begun[1 - thread])
      // The second thread begins after the first body has begun.
      if thread == 1 { other.wait() }
      for round in 1...rounds {
        run(thread, round) {
          own.signal()
          other.wait()
        }
      }
      own.signal()
    }
  }
}
