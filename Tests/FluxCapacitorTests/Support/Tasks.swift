import Dispatch
import FluxCapacitor

/// A wrapper that moves a value that is not `Sendable`, such as an iterator, to another task.
struct Carried<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// Waits until another task on the main actor has made the condition true and has suspended itself.
@MainActor
func untilItWaits(_ isSo: () -> Bool) async {
  while !isSo() { await Task.yield() }
}

/// Waits until the main queue has run the blocks that it contains.
func mainQueueIsEmpty() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}

/// Suspends the current task until the task is cancelled.
func untilCancelled() async {
  let (stream, continuation) = AsyncStream<Never>.makeStream()
  for await _ in stream {}
  continuation.finish()
}

extension Values.Iterator {
  /// Returns the next `count` values, or fewer if the sequence ends earlier.
  mutating func next(_ count: Int) async -> [Element] {
    var values: [Element] = []
    while values.count < count, let value = await next() { values.append(value) }
    return values
  }
}
