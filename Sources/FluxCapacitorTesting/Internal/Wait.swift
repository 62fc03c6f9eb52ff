import FluxCapacitor

/// Waits until something happens, or until the time is up.
///
/// The time passes in ten parts, and after each part a task has to run. So if a busy machine runs no task for
/// a minute, that minute doesn't count in full.
///
/// - Parameters:
///   - limit: How long to wait at most.
///   - clock: The clock that measures the time.
///   - begin: A closure that receives another closure. Call this when the event happens: at once or later, on
///     any thread.
/// - Returns: Whether the event has happened. It is false if the time was up, or the task was cancelled,
///   before.
package func wait(
  atMost limit: Duration,
  by clock: some Clock<Duration> = .continuous,
  isolation: isolated (any Actor)? = #isolation,
  until begin: (_ happened: @escaping @Sendable () -> Void) -> Void
) async -> Bool {
  let wait = Wait()
  begin { wait.end(asItHappened: true) }
  let timer = Task.detached {
    for _ in 1...10 { try await Task.sleep(for: limit / 10, clock: clock) }
    wait.end(asItHappened: false)
  }
  defer { timer.cancel() }
  return await withTaskCancellationHandler {
    await withCheckedContinuation { wait.resume($0) }
  } onCancel: {
    wait.end(asItHappened: false)
  }
}

private final class Wait: @unchecked Sendable {
  // `lock` guards both `result` and `continuation`.
  private let lock = Lock()
  private var result: Bool?
  private var continuation: CheckedContinuation<Bool, Never>?

  func end(asItHappened hasHappened: Bool) {
    let continuation = lock.withLock {
      if result == nil { result = hasHappened }
      defer { self.continuation = nil }
      return self.continuation
    }
    continuation?.resume(returning: hasHappened)
  }

  func resume(_ continuation: CheckedContinuation<Bool, Never>) {
    let result = lock.withLock {
      if self.result == nil { self.continuation = continuation }
      return self.result
    }
    if let result { continuation.resume(returning: result) }
  }
}

/// Returns the beginning of a sentence about a wait that has failed.
func waited(_ limit: Duration) -> String {
  Task.isCancelled ? "The task was cancelled while it waited" : "Waited \(limit)"
}
