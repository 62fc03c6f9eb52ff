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
      for change in event.changes.reversed() { change.variable.write(any: change.oldValue) }
    } else {
      for change in event.changes { change.variable.write(any: change.newValue) }
    }
    return event
  }
}

extension DispatchEvent {
  /// About how many bytes the state and the values take up.
  fileprivate var estimatedSize: Int {
    changes.reduce(estimate(state, depth: 0) + 256) { sum, change in
      sum + estimate(change.oldValue, depth: 0) + estimate(change.newValue, depth: 0)
    }
  }
}

/// About how many bytes a value takes up: of a collection, what its first element takes, for each.
///
/// What is in an object is not counted: another thread may be changing it.
private func estimate(_ value: Any, depth: Int) -> Int {
  if let text = value as? String { return 16 + text.utf8.count }
  let mirror = Mirror(reflecting: value)
  guard depth < 8, mirror.displayStyle != .class, !mirror.children.isEmpty else { return 16 }
  switch mirror.displayStyle {
  case .collection, .set, .dictionary:
    let first = mirror.children.first.map { estimate($0.value, depth: depth + 1) } ?? 0
    return 16 + mirror.children.count * first
  default:
    return mirror.children.reduce(0) { $0 + estimate($1.value, depth: depth + 1) }
  }
}
