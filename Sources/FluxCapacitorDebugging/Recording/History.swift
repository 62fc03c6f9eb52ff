import FluxCapacitor

/// What was dispatched, as far as it is remembered, and where in it one is.
///
/// It is written to in the dispatcher's turn only: a dispatch and a step back never overlap.
final class History: @unchecked Sendable {
  private struct Entry {
    let event: DispatchEvent
    let bytes: Int
  }

  // All guarded by `lock`.
  private let lock = Lock()
  private let limits: TimeCircuits.Limits
  /// The entries by their numbers, which are all of those in `numbers`.
  private var entries: [Int: Entry] = [:]
  private var numbers = 0..<0
  /// The number of the first entry of the future.
  private var next = 0
  private var bytes = 0

  init(_ limits: TimeCircuits.Limits) {
    self.limits = limits
  }

  var events: [DispatchEvent] {
    lock.withLock { numbers.compactMap { entries[$0]?.event } }
  }

  /// How many of the events are in the past.
  var position: Int { lock.withLock { next - numbers.lowerBound } }

  /// Adds an event to the past; the future is forgotten.
  func note(_ event: DispatchEvent) {
    let entry = Entry(event: event, bytes: event.estimatedSize)
    var forgotten: [Entry] = []
    lock.withLock {
      for number in next..<numbers.upperBound { forget(number, into: &forgotten) }
      entries[next] = entry
      bytes += entry.bytes
      next += 1
      var first = numbers.lowerBound
      while first < next, next - first > limits.count || bytes > limits.bytes {
        forget(first, into: &forgotten)
        first += 1
      }
      numbers = first..<next
    }
    // What they hold goes when the lock is open again.
    withExtendedLifetime(forgotten) {}
  }

  private func forget(_ number: Int, into forgotten: inout [Entry]) {
    guard let entry = entries.removeValue(forKey: number) else { return }
    bytes -= entry.bytes
    forgotten.append(entry)
  }

  /// Takes the changes of one event back, or makes them again; the dispatcher's turn is held.
  func move(by step: Int) -> DispatchEvent? {
    let event = lock.withLock { () -> DispatchEvent? in
      guard let event = entries[step < 0 ? next - 1 : next]?.event else { return nil }
      next += step
      return event
    }
    guard let event else { return nil }
    if step < 0 {
      for change in event.changes.reversed() { change.variable?.write(any: change.oldValue) }
    } else {
      for change in event.changes { change.variable?.write(any: change.newValue) }
    }
    return event
  }
}
