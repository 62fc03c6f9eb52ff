/// Is told that variables have changed, under the locks of all variables in the commit: a derived
/// constant's source, whose type is in a layer above.
@usableFromInline class ChangeListener: @unchecked Sendable {
  /// Its place in the order in which the listeners of a commit are called: first by `group`, which
  /// is a lock that they take together.
  @exclusivity(unchecked) @usableFromInline final var order: (group: UInt64, index: Int) = (0, 0)

  @inlinable init() {}

  /// Announces the change.
  ///
  /// - Parameter takesLock: Whether this is the first listener of its group, which takes the lock.
  func announceChange(takesLock: Bool) {}

  /// Called when all listeners of its group have announced the change. Releases their lock.
  func endAnnouncing(on thread: CurrentThread) {}
}

/// Listeners in their order, each once. Unretained, because they leave before they are released.
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

  /// Tells all of them. Two threads that tell the same listeners do so in the same order, because
  /// they keep the locks until the end.
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
