import FluxCapacitor

/// The remembered dispatches, which include undone dispatches until the next new dispatch.
///
/// A thread adds, undoes or redoes an event only while it holds the dispatcher's turn (a lock). As a
/// result, a dispatch never overlaps an undo.
final class History: @unchecked Sendable {
  private struct Entry {
    let event: DispatchEvent
    let bytes: Int
  }

  // `lock` guards all variables below.
  private let lock = Lock()
  private let limits: TimeCircuits.Limits
  /// The entries, with their numbers as keys. The range `numbers` contains exactly the keys of `entries`.
  private var entries: [Int: Entry] = [:]
  private var numbers = 0..<0
  /// The number of the first undone entry, or of the next new entry.
  private var next = 0
  private var bytes = 0

  /// The number of travels whose values are still to reach observers, on queues or on the thread that delivers them.
  private var unfinishedTravels = 0
  private var hasNewEvent = false
  private var listeners: [ObjectIdentifier: @Sendable () -> Void] = [:]

  init(_ limits: TimeCircuits.Limits) {
    self.limits = limits
  }

  var events: [DispatchEvent] {
    lock.withLock { numbers.compactMap { entries[$0]?.event } }
  }

  /// The number of events that are not undone.
  var position: Int { lock.withLock { next - numbers.lowerBound } }

  /// The changes to the history since a given event.
  struct Update {
    /// The sequence number of the first remembered event, or 0 if the history is empty.
    let first: Int

    /// The sequence number of the last remembered event, or 0 if the history is empty.
    let last: Int

    /// The sequence number of the last event that is not undone, or 0 if all events are undone.
    let position: Int

    /// The sequence number of the remembered event before `events`, or 0 if no event precedes `events`. If
    /// `after` is lower than the given sequence number, the history has forgotten the events in between.
    let after: Int
    let events: [DispatchEvent]
  }

  /// Returns the update since a sequence number, with at most a given number of events.
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

  /// Returns the number of remembered events up to a sequence number.
  func position(after sequence: Int) -> Int {
    lock.withLock { number(after: sequence) - numbers.lowerBound }
  }

  private func sequence(of number: Int) -> Int { entries[number]?.event.sequenceNumber ?? 0 }

  /// Returns the number of the first entry after a sequence number. The method uses a binary search,
  /// because later entries have larger sequence numbers.
  private func number(after sequence: Int) -> Int {
    var (low, high) = (numbers.lowerBound, numbers.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if self.sequence(of: middle) <= sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Sets the closure that an owner wants to be called after each new event, undo or redo. A new event
  /// calls the closure while the thread holds the dispatcher's turn.
  func setListener(_ listener: (@Sendable () -> Void)?, of owner: AnyObject) {
    lock.withLock { listeners[ObjectIdentifier(owner)] = listener }
  }

  func tellListeners() {
    for listener in lock.withLock({ Array(listeners.values) }) { listener() }
  }

  /// Undoes or redoes events on a dispatcher.
  func travel<Result>(on dispatcher: Dispatcher, _ body: () -> Result) -> Result {
    if dispatcher.isReducing {
      trap(
        "A TimeCircuits undoes or redoes inside a reduce, whose own changes aren't in the history yet.",
        "Call its methods after the dispatch, or in an observer."
      )
    }
    defer {
      dispatcher.whenCallsEnd { [self] in lock.withLock { unfinishedTravels -= 1 } }
      tellListeners()
    }
    lock.withLock { unfinishedTravels += 1 }
    return dispatcher.travel {
      lock.withLock { hasNewEvent = false }
      return body()
    }
  }

  /// Adds an event, and forgets all undone events.
  ///
  /// The history already contains the states that observers invoke because of a travel. So the history ignores the states of
  /// observers until the calls of observers have ended or another state is invoked.
  func note(_ event: DispatchEvent) {
    let isInObserver = Dispatcher.isInObserver
    let isRepeated = lock.withLock {
      if !isInObserver { hasNewEvent = true }
      return isInObserver && unfinishedTravels > 0 && !hasNewEvent
    }
    if isRepeated { return }
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
    // This thread holds the dispatcher's turn.
    releaseAfterUnlocking(forgotten)
    tellListeners()
  }

  private func forget(_ number: Int, into forgotten: inout [Entry]) {
    guard let entry = entries.removeValue(forKey: number) else { return }
    bytes -= entry.bytes
    forgotten.append(entry)
  }

  /// Undoes or redoes the changes of one event.
  ///
  /// - Precondition: The thread holds the dispatcher's turn.
  /// - Parameter step: -1 for an undo, or 1 for a redo.
  func move(by step: Int) -> DispatchEvent? {
    let event = lock.withLock { () -> DispatchEvent? in
      guard let event = entries[step < 0 ? next - 1 : next]?.event else { return nil }
      next += step
      return event
    }
    guard let event else { return nil }
    if step < 0 {
      for change in event.unsortedChanges.joined().reversed() {
        change.variable?.write(any: change.oldValue)
      }
    } else {
      for change in event.unsortedChanges.joined() { change.variable?.write(any: change.newValue) }
    }
    return event
  }
}
