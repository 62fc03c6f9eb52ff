/// A first-in, first-out queue, with O(1) amortized insertion and removal at both ends.
///
/// It is a ring buffer in its own memory, without an array's checks, because every change goes
/// through one. Exactly the `count` slots from `head` on are initialized; `mask` is one less than
/// the number of slots, which is a power of two, or zero.
@usableFromInline
struct FIFO<Element>: ~Copyable {
  @usableFromInline var slots: UnsafeMutablePointer<Element>?
  @usableFromInline var head: Int32 = 0
  @usableFromInline var count: Int32 = 0
  @usableFromInline var mask: Int32 = -1

  @inlinable
  init() {}

  @inlinable
  deinit {
    guard let slots else { return }
    for index in 0..<count { (slots + slot(at: index)).deinitialize(count: 1) }
    slots.deallocate()
  }

  @inlinable
  var isEmpty: Bool { count == 0 }

  /// The element at an offset from the first, which must exist.
  @inlinable
  subscript(index: Int32) -> Element {
    _read { yield slots.unsafelyUnwrapped[slot(at: index)] }
    _modify { yield &slots.unsafelyUnwrapped[slot(at: index)] }
  }

  @inlinable
  mutating func append(_ element: Element) {
    if count > mask { grow() }
    (slots.unsafelyUnwrapped + slot(at: count)).initialize(to: element)
    count += 1
  }

  /// Adds an element before the first.
  mutating func prepend(_ element: Element) {
    if count > mask { grow() }
    head = Int32(slot(at: mask))
    (slots.unsafelyUnwrapped + Int(head)).initialize(to: element)
    count += 1
  }

  @inlinable
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = (slots.unsafelyUnwrapped + Int(head)).move()
    head = Int32(slot(at: 1))
    count -= 1
    // Don't keep the memory of a burst forever.
    if count == 0, mask >= 64 { self = FIFO() }
    return element
  }

  /// Removes and returns an element. O(n) in the distance to the nearer end.
  @usableFromInline
  mutating func remove(at index: Int32) -> Element {
    let slots = slots.unsafelyUnwrapped
    let element = (slots + slot(at: index)).move()
    if index < count / 2 {
      for index in (0..<index).reversed() {
        (slots + slot(at: index + 1)).moveInitialize(from: slots + slot(at: index), count: 1)
      }
      head = Int32(slot(at: 1))
    } else {
      for index in index..<(count - 1) {
        (slots + slot(at: index)).moveInitialize(from: slots + slot(at: index + 1), count: 1)
      }
    }
    count -= 1
    return element
  }

  /// The offset of the last element that satisfies the predicate. O(n).
  func lastIndex(where predicate: (Element) -> Bool) -> Int32? {
    (0..<count).reversed().first { predicate(self[$0]) }
  }

  /// The offset of the first element that satisfies the predicate, or `count`. All elements after
  /// it must satisfy it too. O(log n).
  @inlinable
  func partitioningIndex(where predicate: (Element) -> Bool) -> Int32 {
    var (low, high): (Int32, Int32) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  @inlinable
  func slot(at index: Int32) -> Int { Int((head &+ index) & mask) }

  @usableFromInline
  mutating func grow() {
    var larger = FIFO()
    larger.mask = max(3, mask * 2 + 1)
    let slots = UnsafeMutablePointer<Element>.allocate(capacity: Int(larger.mask) + 1)
    larger.slots = slots
    while let element = popFirst() {
      (slots + Int(larger.count)).initialize(to: element)
      larger.count += 1
    }
    self = larger
  }
}
