/// The callers that wait for a change. A caller that is cancelled meanwhile leaves nothing here.
package struct Waiters {
  package typealias Place = (waiter: Waiter, number: Int)

  package init() {}

  private var waiters: [Int: Waiter] = [:]
  private var lastNumber = 0

  package var count: Int { waiters.count }

  package mutating func add() -> Place {
    lastNumber += 1
    let waiter = Waiter()
    waiters[lastNumber] = waiter
    return (waiter, lastNumber)
  }

  package mutating func remove(_ place: Place) {
    // The place might be one of former waiters, which had the same numbers.
    guard waiters[place.number] === place.waiter else { return }
    waiters[place.number] = nil
    // An empty dictionary keeps its memory.
    if waiters.isEmpty { waiters = [:] }
  }

  /// Removes and returns all waiters, in the order in which they came.
  package mutating func takeAll() -> [Waiter] {
    defer { waiters = [:] }
    return waiters.sorted { $0.key < $1.key }.map(\.value)
  }
}
