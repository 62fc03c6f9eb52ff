import Dispatch
import FluxCapacitor

/// Waits until something happens, for a time at most.
///
/// - Parameters:
///   - limit: How long.
///   - begin: Is handed a closure to be called when it happens, at once or later, on any thread.
/// - Returns: Whether it has happened; not if the time was up, or the task was cancelled, before.
func wait(
  atMost limit: Duration,
  isolation: isolated (any Actor)? = #isolation,
  until begin: (_ happened: @escaping @Sendable () -> Void) -> Void
) async -> Bool {
  let wait = Wait()
  begin { wait.end(asItHappened: true) }
  let timer = DispatchWorkItem { wait.end(asItHappened: false) }
  let deadline = DispatchTime.now() + .nanoseconds(limit.nanoseconds)
  DispatchQueue.global().asyncAfter(deadline: deadline, execute: timer)
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

extension Duration {
  /// As far as it fits into an `Int`: 292 years.
  fileprivate var nanoseconds: Int {
    let (seconds, attoseconds) = components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflows ? .max : Int(clamping: product &+ attoseconds / 1_000_000_000)
  }
}

/// How a sentence begins about something that was waited for in vain.
func waited(_ limit: Duration) -> String {
  Task.isCancelled ? "The task was cancelled as it waited" : "Waited \(limit)"
}
