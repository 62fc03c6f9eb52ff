import FluxCapacitor

/// Waits until an event happens or the time limit is reached.
///
/// A task sleeps a hundred times for a hundredth of the time limit. If a busy machine runs no task for a minute, the minute
/// counts only in part.
///
/// - Parameters:
///   - limit: The maximum time to wait.
///   - clock: The clock that measures the time.
///   - begin: A closure that registers for the event. The closure receives a callback, which it can
///     call on any thread when the event happens.
/// - Returns: Whether the event happened before the time limit was reached or the task was cancelled.
package func wait(
  atMost limit: Duration,
  by clock: some Clock<Duration> = .continuous,
  isolation: isolated (any Actor)? = #isolation,
  until begin: (_ happened: @escaping @Sendable () -> Void) -> Void
) async -> Bool {
  let (results, result) = AsyncStream<Bool>.makeStream()
  begin { result.yield(true) }
  let timer = Task.detached {
    for _ in 1...100 { try await Task.sleep(for: limit.clamped / 100, clock: clock) }
    result.yield(false)
  }
  defer { timer.cancel() }
  var iterator = results.makeAsyncIterator()
  // The stream ends when the task is cancelled.
  return await iterator.next(isolation: isolation) ?? false
}

/// Returns the first half of a sentence about a wait that has timed out or was cancelled.
func waited(_ limit: Duration) -> String {
  Task.isCancelled ? "The task was cancelled while it waited" : "Waited \(limit)"
}
