import FluxCapacitor
import Synchronization
import Testing

/// An observer that detects overlapping calls and missing values.
///
/// No lock guards `values`, so the thread sanitizer also detects overlapping calls.
final class ExclusiveObserver: @unchecked Sendable {
  private var values: [Int] = []
  private let isInside = Atomic(false)

  func receive(_ value: Int) {
    #expect(isInside.exchange(true, ordering: .relaxed) == false)
    values.append(value)
    isInside.store(false, ordering: .relaxed)
  }

  func expectConsecutive(through last: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    let first = values.first ?? last + 1
    #expect(values.last == last, sourceLocation: sourceLocation)
    let isConsecutive = values.indices.allSatisfy { values[$0] == first + $0 }
    #expect(isConsecutive, sourceLocation: sourceLocation)
  }
}

final class Latest: Sendable {
  private let value = Atomic(0)

  func store(_ new: Int) { value.store(new, ordering: .relaxed) }
  func load() -> Int { value.load(ordering: .relaxed) }
}

struct Wide {
  let parts: (Int, Int, Int, Int)

  init(_ value: Int) { parts = (value, value, value, value) }

  var isWhole: Bool { parts.0 == parts.1 && parts.1 == parts.2 && parts.2 == parts.3 }
}

/// An object that a tally counts while the object exists.
final class Counted: Sendable {
  private let tally: Tally

  init(_ tally: Tally) {
    self.tally = tally
    tally.add(1)
  }

  deinit { tally.add(-1) }
}

extension Counted {
  /// Returns the value unchanged. Call this method in a closure to make the closure retain the object.
  func pass<Value>(_ value: Value) -> Value { value }
}
