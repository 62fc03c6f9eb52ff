/// A first-in, first-out queue that appends, prepends and removes its first element in amortized O(1).
///
/// Every pending change passes through a queue of this type. For speed, the queue is a ring buffer in
/// its own memory, without the checks of an array. Exactly the `count` slots from `head` on are
/// initialized, wrapping around at the end of the buffer. `mask` is one less than the number of slots,
/// which is a power of two or zero.
@usableFromInline struct FIFO<Element>: ~Copyable {
  @usableFromInline var slots: UnsafeMutablePointer<Element>?
  @usableFromInline var head: Int32 = 0
  @usableFromInline var count: Int32 = 0
  @usableFromInline var mask: Int32 = -1

  @inlinable init() {}

  @inlinable deinit {
    guard let slots else { return }
    for index in 0..<count { (slots + slot(at: index)).deinitialize(count: 1) }
    slots.deallocate()
  }

  @inlinable var isEmpty: Bool { count == 0 }

  /// The element at an offset from the first element. The offset must be less than `count`.
  @inlinable subscript(index: Int32) -> Element {
    _read { yield slots.unsafelyUnwrapped[slot(at: index)] }
    _modify { yield &slots.unsafelyUnwrapped[slot(at: index)] }
  }

  @inlinable mutating func append(_ element: Element) {
    if count > mask { grow() }
    (slots.unsafelyUnwrapped + slot(at: count)).initialize(to: element)
    count += 1
  }

  /// Inserts an element at the front of the queue.
  mutating func prepend(_ element: Element) {
    if count > mask { grow() }
    head = Int32(slot(at: mask))
    (slots.unsafelyUnwrapped + Int(head)).initialize(to: element)
    count += 1
  }

  @inlinable mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = (slots.unsafelyUnwrapped + Int(head)).move()
    head = Int32(slot(at: 1))
    count -= 1
    // An empty queue frees a large buffer, so that a burst of changes doesn't keep memory forever.
    if count == 0, mask >= 64 { self = FIFO() }
    return element
  }

  /// Removes all elements, and keeps the buffer for new elements.
  mutating func removeAll() where Element: BitwiseCopyable { (head, count) = (0, 0) }

  @inlinable func slot(at index: Int32) -> Int { Int((head &+ index) & mask) }

  @inlinable @inline(never) mutating func grow() {
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

/// Returns the first index below `count` that satisfies a predicate, or `count` if no index satisfies
/// it.
///
/// - Precondition: If an index satisfies the predicate, all later indices satisfy it too.
/// - Complexity: O(log n).
@inline(__always) func partitioningIndex(of count: Int, where predicate: (Int) -> Bool) -> Int {
  var (low, high) = (0, count)
  while low < high {
    let middle = (low + high) / 2
    if predicate(middle) { high = middle } else { low = middle + 1 }
  }
  return low
}

extension Unmanaged {
  /// Calls a closure with the object, without retaining the object.
  ///
  /// Another reference must keep the object alive during the call. Retaining and releasing a node of the
  /// graph of derived constants takes longer than all other work for the node.
  @inlinable @inline(__always) func use<Result>(_ body: (Instance) -> Result) -> Result {
    _withUnsafeGuaranteedRef(body)
  }
}
