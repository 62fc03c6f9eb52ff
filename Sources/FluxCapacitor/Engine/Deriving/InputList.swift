/// The inputs to which a commit is announced while all of its variables are locked, sorted by `order`. A transaction's
/// list contains an input once for each written variable. The list doesn't retain its inputs, because each is removed
/// from the list before it is released.
@usableFromInline typealias InputList = [Unmanaged<AnyEdge>]

extension InputList {
  mutating func insert(_ input: Unmanaged<AnyEdge>) {
    insert(input, at: index(of: input.use { $0.order }))
  }

  mutating func remove(_ input: AnyEdge) {
    let index = index(of: input.order)
    if index < count, self[index].use({ $0 === input }) { remove(at: index) }
  }

  /// Announces a change to all inputs.
  ///
  /// If two threads announce changes to the same inputs, all of these receive the changes in the same order, because an
  /// announcing thread holds the locks of all regions until the end.
  @usableFromInline func announce(on thread: CurrentThread) {
    var last: (region: UInt64, index: Int) = (0, 0)
    for input in self {
      input.use {
        if $0.order != last { $0.announce(isFirstOfRegion: $0.order.region != last.region) }
        last = $0.order
      }
    }
    last.region = 0
    for input in self where input.use({ $0.order.region }) != last.region {
      last = input.use { $0.order }
      input.use { $0.target.use { $0.region } }.use { region in
        region.takePlaceIfReady(on: thread)
        region.channel.use { $0.lock.unlock() }
      }
    }
  }

  private func index(of order: (region: UInt64, index: Int)) -> Int {
    partitioningIndex(of: count) { self[$0].use { $0.order >= order } }
  }
}
