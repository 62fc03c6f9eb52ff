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
  private var listeners: [ObjectIdentifier: @Sendable () -> Void] = [:]

  init(_ limits: TimeCircuits.Limits) {
    self.limits = limits
  }

  var events: [DispatchEvent] {
    lock.withLock { numbers.compactMap { entries[$0]?.event } }
  }

  /// How many of the events are in the past.
  var position: Int { lock.withLock { next - numbers.lowerBound } }

  /// What has come since one was told of an event.
  struct Update {
    /// The first and the last event that are remembered, and the last of the past; 0 if there is none.
    let first: Int
    let last: Int
    let position: Int

    /// The one before the new ones: those that were between them are forgotten.
    let after: Int
    let events: [DispatchEvent]
  }

  /// Returns the events behind one, at most so many of the oldest. All are known by sequence numbers.
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

  /// How many events there are up to the one with a sequence number.
  func position(after sequence: Int) -> Int {
    lock.withLock { number(after: sequence) - numbers.lowerBound }
  }

  private func sequence(of number: Int) -> Int { entries[number]?.event.sequenceNumber ?? 0 }

  /// The number of the first entry behind a sequence number, which grow with the entries' own.
  private func number(after sequence: Int) -> Int {
    var (low, high) = (numbers.lowerBound, numbers.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if self.sequence(of: middle) <= sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Calls a closure with each event that is noted, in the dispatcher's turn, and behind each move.
  func setListener(_ listener: (@Sendable () -> Void)?, of owner: AnyObject) {
    lock.withLock { listeners[ObjectIdentifier(owner)] = listener }
  }

  func tellListeners() {
    for listener in lock.withLock({ Array(listeners.values) }) { listener() }
  }

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
    tellListeners()
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
