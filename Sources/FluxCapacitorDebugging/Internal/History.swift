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
  private var entries: [Entry] = []
  private var count = 0
  private var bytes = 0

  init(_ limits: TimeCircuits.Limits) {
    self.limits = limits
  }

  var events: [DispatchEvent] { lock.withLock { entries }.map(\.event) }

  /// How many of the events are in the past.
  var position: Int { lock.withLock { count } }

  /// Adds an event to the past; the future is forgotten.
  func note(_ event: DispatchEvent) {
    let entry = Entry(event: event, bytes: event.estimatedSize)
    var forgotten: [Entry] = []
    lock.withLock {
      forgotten += entries[count...]
      entries.removeSubrange(count...)
      entries.append(entry)
      bytes += entry.bytes - forgotten.reduce(0) { $0 + $1.bytes }
      while !entries.isEmpty, entries.count > limits.count || bytes > limits.bytes {
        let oldest = entries.removeFirst()
        bytes -= oldest.bytes
        forgotten.append(oldest)
      }
      count = entries.count
    }
    // What they hold goes when the lock is open again.
    withExtendedLifetime(forgotten) {}
  }

  /// Takes the changes of one event back, or makes them again; the dispatcher's turn is held.
  func move(by step: Int) -> DispatchEvent? {
    let event = lock.withLock { () -> DispatchEvent? in
      let index = step < 0 ? count - 1 : count
      guard entries.indices.contains(index) else { return nil }
      count += step
      return entries[index].event
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
private func estimate(_ value: Any, depth: Int) -> Int {
  if let text = value as? String { return 16 + text.utf8.count }
  let mirror = Mirror(reflecting: value)
  guard depth < 8, !mirror.children.isEmpty else { return 16 }
  switch mirror.displayStyle {
  case .collection, .set, .dictionary:
    let first = mirror.children.first.map { estimate($0.value, depth: depth + 1) } ?? 0
    return 16 + mirror.children.count * first
  default:
    return mirror.children.reduce(0) { $0 + estimate($1.value, depth: depth + 1) }
  }
}
