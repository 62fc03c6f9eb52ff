import FluxCapacitor

/// Takes what belongs to one task, such as an iterator, to another.
struct Carried<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// Waits for another task on the main actor: as soon as this one runs again, that one waits.
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
  /// As many values, or all that come before the end.
  mutating func next(_ count: Int) async -> [Element] {
    var values: [Element] = []
    while values.count < count, let value = await next() { values.append(value) }
    return values
  }
}
