/// A caller that waits for an event.
package final class Waiter: Sendable {
  private let event = AsyncStream<Never>.makeStream()

  /// Waits until another thread has called `resume()`, or the calling task is cancelled.
  package nonisolated(nonsending) func wait() async { for await _ in event.stream {} }

  package func resume() { event.continuation.finish() }
}
