import FluxCapacitor
import Foundation

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

extension DispatchEvent {
  /// About how many bytes the state and the values take up.
  fileprivate var estimatedSize: Int {
    var estimate = Estimate()
    estimate.add(state)
    for change in changes {
      estimate.add(change.oldValue)
      estimate.add(change.newValue)
    }
    return estimate.bytes + 256
  }
}

/// About how many bytes values take up.
///
/// It looks at a thousand parts at most, and takes those of a collection for all. What is in an object is
/// not counted: another thread may be changing it.
private struct Estimate {
  private(set) var bytes = 0
  private var parts = 0

  mutating func add(_ value: Any) {
    parts += 1
    bytes += 8
    switch value {
    case let text as any StringProtocol: bytes += text.utf8.count
    case let data as Data: bytes += data.count
    default:
      let mirror = Mirror(reflecting: value)
      switch mirror.displayStyle {
      case .class: break
      case .collection, .set, .dictionary: add(elements: mirror.children)
      default:
        for child in mirror.children {
          guard parts < 1_000 else { return }
          add(child.value)
        }
      }
    }
  }

  /// Some of the elements, evenly spread, stand for all.
  private mutating func add(elements: Mirror.Children) {
    let count = elements.count
    guard count > 0, parts < 1_000 else { return }
    let step = max(1, count / 16)
    let before = bytes
    var seen = 0
    var index = elements.startIndex
    while seen * step < count {
      add(elements[index].value)
      seen += 1
      guard elements.formIndex(&index, offsetBy: step, limitedBy: elements.endIndex),
        index < elements.endIndex
      else { break }
    }
    bytes = before + (bytes - before) * count / seen
  }
}
