import FluxCapacitor

/// Waits until something happens, for a time at most.
///
/// The time passes in ten parts, behind each of which a task has to get to run: so what a machine with
/// too much to do leaves waiting for a minute has not had that minute.
///
/// - Parameters:
///   - limit: How long.
///   - clock: Measures the time.
///   - begin: Is handed a closure to be called when it happens, at once or later, on any thread.
/// - Returns: Whether it has happened; not if the time was up, or the task was cancelled, before.
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
  // Both guarded by `lock`.
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

/// How a sentence begins about something that was waited for in vain.
func waited(_ limit: Duration) -> String {
  Task.isCancelled ? "The task was cancelled as it waited" : "Waited \(limit)"
}
