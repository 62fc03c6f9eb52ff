import FluxCapacitor

/// The remembered dispatches, and the current position between the past and the future.
///
/// It is only written to during the dispatcher's turn, so a dispatch and a step back never overlap.
final class History: @unchecked Sendable {
  private struct Entry {
    let event: DispatchEvent
    let bytes: Int
  }

  // `lock` guards all variables below.
  private let lock = Lock()
  private let limits: TimeCircuits.Limits
  /// The entries by their numbers. `numbers` contains exactly these numbers.
  private var entries: [Int: Entry] = [:]
  private var numbers = 0..<0
  /// The number of the first entry of the future.
  private var next = 0
  private var bytes = 0
  private var listeners: [ObjectIdentifier: @Sendable () -> Void] = [:]

  init(_ limits: TimeCircuits.Limits) {
    self.limits = limits
  }

  var events: [DispatchEvent] {
    lock.withLock { numbers.compactMap { entries[$0]?.event } }
  }

  /// The number of events in the past.
  var position: Int { lock.withLock { next - numbers.lowerBound } }

  /// The news since an event.
  struct Update {
    /// The sequence numbers of the first remembered event, the last remembered event, and the last event in
    /// the past. Each is 0 if the event doesn't exist.
    let first: Int
    let last: Int
    let position: Int

    /// The sequence number of the event before the new events, or 0. The events between it and the given
    /// event are forgotten.
    let after: Int
    let events: [DispatchEvent]
  }

  /// Returns the news since a sequence number, with the oldest new events up to a count.
  func update(since sequence: Int, atMost count: Int) -> Update {
    lock.withLock {
      let start = number(after: sequence)
      let end = min(start + count, numbers.upperBound)
      return Update(
        first: self.sequence(of: numbers.lowerBound),
        last: self.sequence(of: numbers.upperBound - 1),
        position: self.sequence(of: next - 1),
        after: self.sequence(of: start - 1),
        events: (start..<end).compactMap { entries[$0]?.event }
      )
    }
  }

  /// Returns the number of events up to a sequence number.
  func position(after sequence: Int) -> Int {
    lock.withLock { number(after: sequence) - numbers.lowerBound }
  }

  private func sequence(of number: Int) -> Int { entries[number]?.event.sequenceNumber ?? 0 }

  /// Returns the number of the first entry after a sequence number. The sequence numbers grow with the
  /// numbers of the entries.
  private func number(after sequence: Int) -> Int {
    var (low, high) = (numbers.lowerBound, numbers.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if self.sequence(of: middle) <= sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Sets the closure to call for each new event, during the dispatcher's turn, and after each move.
  func setListener(_ listener: (@Sendable () -> Void)?, of owner: AnyObject) {
    lock.withLock { listeners[ObjectIdentifier(owner)] = listener }
  }

  func tellListeners() {
    for listener in lock.withLock({ Array(listeners.values) }) { listener() }
  }

  /// Adds an event to the past, and forgets the future.
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
    // The values in the forgotten entries are released after unlocking.
    withExtendedLifetime(forgotten) {}
    tellListeners()
  }

  private func forget(_ number: Int, into forgotten: inout [Entry]) {
    guard let entry = entries.removeValue(forKey: number) else { return }
    bytes -= entry.bytes
    forgotten.append(entry)
  }

  /// Reverts the changes of one event, or makes them again. The dispatcher's turn must be held.
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
