/// An object that is notified of a commit's changes while all variables of the commit are locked.
///
/// The only subclass is `AnyEdge`, in the folder `Deriving`: the inputs of regions are listeners, and the group
/// is the region. The base class exists because a thread's state, an earlier layer, lists the listeners.
@usableFromInline class ChangeListener: @unchecked Sendable {
  /// The listener's sort key among the listeners of a commit. Listeners are sorted first by `group` and
  /// then by `index`. All listeners of a group share a lock.
  @exclusivity(unchecked) @usableFromInline final var order: (group: UInt64, index: Int) = (0, 0)

  @inlinable init() {}

  /// Announces a change to the derived constant that this listener belongs to.
  ///
  /// - Parameter isFirstOfGroup: Whether this listener is the first of its group, which takes the group's lock.
  func announce(isFirstOfGroup: Bool) {}

  /// Releases the group's lock, after all listeners have announced the change. Only the first listener of
  /// each group receives this call.
  func endAnnouncing(on thread: CurrentThread) {}
}

/// A sorted list of listeners without duplicates. The list doesn't retain its listeners, because each
/// listener is removed from the list before it is released.
@usableFromInline typealias ListenerList = [Unmanaged<ChangeListener>]

extension ListenerList {
  mutating func insert(_ listener: Unmanaged<ChangeListener>) {
    let order = listener.use { $0.order }
    let index = index(of: order)
    if index < count, self[index].use({ $0.order == order }) { return }
    insert(listener, at: index)
  }

  @usableFromInline mutating func insert(contentsOf others: ListenerList) {
    for listener in others { insert(listener) }
  }

  mutating func remove(_ listener: ChangeListener) {
    let index = index(of: listener.order)
    if index < count, self[index].use({ $0 === listener }) { remove(at: index) }
  }

  /// Announces a change to all listeners.
  ///
  /// If two threads announce changes to the same listeners, all of these listeners receive the changes in
  /// the same order. An announcing thread holds the locks of all groups until all listeners have
  /// announced the change.
  @inlinable func announce(on thread: CurrentThread) {
    if !isEmpty { announceToEach(on: thread) }
  }

  @usableFromInline func announceToEach(on thread: CurrentThread) {
    beginAnnouncing()
    endAnnouncing(on: thread)
  }

  func beginAnnouncing() { forEachListener { $0.announce(isFirstOfGroup: $1) } }

  func endAnnouncing(on thread: CurrentThread) {
    forEachListener { if $1 { $0.endAnnouncing(on: thread) } }
  }

  @inline(__always)
  private func forEachListener(_ body: (ChangeListener, _ isFirstOfGroup: Bool) -> Void) {
    var group: UInt64 = 0
    for listener in self {
      listener.use {
        body($0, $0.order.group != group)
        group = $0.order.group
      }
    }
  }

  private func index(of order: (group: UInt64, index: Int)) -> Int {
    partitioningIndex(of: count) { self[$0].use { $0.order >= order } }
  }
}
