/// An object that a commit calls, under the locks of all variables in the commit.
///
/// It is the base class of the sources of derived constants, which are in a later folder.
@usableFromInline class ChangeListener: @unchecked Sendable {
  /// The listener's position among the listeners of a commit, which are ordered by `group` first. The
  /// listeners of a group share one lock.
  @exclusivity(unchecked) @usableFromInline final var order: (group: UInt64, index: Int) = (0, 0)

  @inlinable init() {}

  /// Announces the change.
  ///
  /// - Parameter takesLock: Whether to take the group's lock: true for the first listener of the group.
  func announceChange(takesLock: Bool) {}

  /// Releases the group's lock, after all listeners have announced the change. Only the first
  /// listener of each group is called.
  func endAnnouncing(on thread: CurrentThread) {}
}

/// Listeners in their order, without duplicates. The list doesn't retain a listener, which leaves the
/// list before it is released.
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
  /// Two threads may announce changes to the same listeners. All of these listeners then receive the
  /// changes in the same order, because each thread keeps the locks until the end.
  @inlinable func announceChange(on thread: CurrentThread) {
    if !isEmpty { announceToAll(on: thread) }
  }

  @usableFromInline func announceToAll(on thread: CurrentThread) {
    beginAnnouncing()
    endAnnouncing(on: thread)
  }

  func beginAnnouncing() { forEachListener { $0.announceChange(takesLock: $1) } }

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
