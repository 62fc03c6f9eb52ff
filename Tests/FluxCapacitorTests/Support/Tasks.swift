import FluxCapacitor

/// Carries a value that belongs to one task, such as an iterator, to another task.
struct Carried<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// Yields until a condition holds that another task on the main actor fulfills. When this task resumes,
/// the other one is suspended.
@MainActor
func untilItWaits(_ isSo: () -> Bool) async {
  while !isSo() { await Task.yield() }
}

/// Lasts until the task is cancelled.
func untilCancelled() async {
  let (stream, continuation) = AsyncStream<Never>.makeStream()
  for await _ in stream {}
  continuation.finish()
}

extension Values.Iterator {
  /// Returns the given number of values, or all values before the end if there are fewer.
  mutating func next(_ count: Int) async -> [Element] {
    var values: [Element] = []
    while values.count < count, let value = await next() { values.append(value) }
    return values
  }
}
