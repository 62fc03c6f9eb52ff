/// A first-in-first-out queue; appending and taking are O(1), amortised.
@usableFromInline
struct FIFO<Element> {
  /// A ring: as many slots as a power of two, or none.
  @usableFromInline var slots: [Element?] = []
  @usableFromInline var head: Int32 = 0
  @usableFromInline var count: Int32 = 0

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { count == 0 }

  @inlinable
  var first: Element? { isEmpty ? nil : slots[Int(head)] }

  @inlinable
  mutating func append(_ element: Element) {
    if count == slots.count { grow() }
    slots[slot(at: count)] = element
    count += 1
  }

  @inlinable
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = slots[Int(head)].take()
    head = Int32(slot(at: 1))
    count -= 1
    // A burst must not keep its memory for good.
    if count == 0, slots.count > 64 { self = FIFO() }
    return element
  }

  /// Takes out the first element that satisfies the predicate. O(n).
  @inlinable
  mutating func remove(where predicate: (Element) -> Bool) -> Element? {
    var removed: Element?
    var rest = FIFO()
    while let element = popFirst() {
      if removed == nil, predicate(element) { removed = element } else { rest.append(element) }
    }
    self = rest
    return removed
  }

  /// Changes the first element that satisfies the predicate. O(n).
  @inlinable
  mutating func update(where predicate: (Element) -> Bool, _ change: (inout Element) -> Void) {
    for index in 0..<count {
      let slot = slot(at: index)
      guard var element = slots[slot], predicate(element) else { continue }
      change(&element)
      slots[slot] = element
      return
    }
  }

  @inlinable
  func slot(at index: Int32) -> Int { Int(head + index) & (slots.count - 1) }

  @usableFromInline
  mutating func grow() {
    var larger: [Element?] = []
    larger.reserveCapacity(max(4, slots.count * 2))
    for index in 0..<count { larger.append(slots[slot(at: index)]) }
    while larger.count < max(4, slots.count * 2) { larger.append(nil) }
    slots = larger
    head = 0
  }
}
