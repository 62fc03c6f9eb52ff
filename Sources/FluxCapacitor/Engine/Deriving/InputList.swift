/// The inputs to which a commit is announced while all of its variables are locked, sorted by `order` and without
/// duplicates. The list doesn't retain its inputs, because each is removed from the list before it is released.
@usableFromInline typealias InputList = [Unmanaged<AnyEdge>]

extension InputList {
  mutating func insert(_ input: Unmanaged<AnyEdge>) {
    let order = input.use { $0.order }
    let index = index(of: order)
    if index < count, self[index].use({ $0.order == order }) { return }
    insert(input, at: index)
  }

  @usableFromInline mutating func insert(contentsOf others: InputList) {
    for input in others { insert(input) }
  }

  mutating func remove(_ input: AnyEdge) {
    let index = index(of: input.order)
    if index < count, self[index].use({ $0 === input }) { remove(at: index) }
  }

  /// Announces a change to all inputs.
  ///
  /// If two threads announce changes to the same inputs, all of these receive the changes in the same order, because an
  /// announcing thread holds the locks of all regions until the end.
  @inlinable func announce(on thread: CurrentThread) {
    if !isEmpty { announceToEach(on: thread) }
  }

  @usableFromInline func announceToEach(on thread: CurrentThread) {
    forEachInput { $0.announce(isFirstOfRegion: $1) }
    forEachInput { if $1 { $0.endAnnouncing(on: thread) } }
  }

  @inline(__always)
  private func forEachInput(_ body: (AnyEdge, _ isFirstOfRegion: Bool) -> Void) {
    var region: UInt64 = 0
    for input in self {
      input.use {
        body($0, $0.order.region != region)
        region = $0.order.region
      }
    }
  }

  private func index(of order: (region: UInt64, index: Int)) -> Int {
    partitioningIndex(of: count) { self[$0].use { $0.order >= order } }
  }
}
