/// A caller that waits for an event.
struct Waiter: Sendable {
  private let event = AsyncStream<Never>.makeStream()

  /// Waits until another thread has called `resume()`, or the calling task is cancelled.
  nonisolated(nonsending) func wait() async { for await _ in event.stream {} }

  func resume() { event.continuation.finish() }
}
