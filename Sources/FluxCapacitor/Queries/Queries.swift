/// The queries that are held of a ``Queryable`` store, which keeps this object in a `let`.
///
/// It belongs to one store; ``Queryable/query(_:)`` adds to it. See ``Queryable`` for an example.
public final class Queries<Query: Hashable & Sendable>: @unchecked Sendable {
  /// Those that have a holder.
  let active = Variable<Set<Query>>([])

  // `holders`, which counts them by query, is guarded by `lock`.
  private let lock = Lock()
  @exclusivity(unchecked) private var holders: [Query: Int] = [:]
  private let listener = Listener()

  /// Creates an object without queries.
  public init() {
    // It ends with `active`, and so with this.
    _ = active.observeChanges { [listener] old, new in
      // In a transaction, one may have come and gone.
      if old != new { listener.tell(old, new) }
    }
  }

  /// Adds a holder of a query; the store is told if it is the first.
  func hold<Store: Queryable>(_ query: Query, of store: Store) -> Dust where Store.Query == Query {
    listener.listen { [weak store] old, new in store?.activeQueriesDidChange(from: old, to: new) }
    count(query, by: 1)
    return ActionDust { self.count(query, by: -1) }
  }

  /// Counts a holder of a query more, or one less.
  ///
  /// The set is written under the lock, so that it changes in the order of the counting, and in a
  /// transaction, so that it is told when the lock is open again.
  private func count(_ query: Query, by difference: Int) {
    // It goes when the lock is open again: the deinit of a query may be code of the user's.
    var removed: (key: Query, value: Int)?
    let thread = CurrentThread.current
    thread.beginTransaction()
    lock.lock()
    let count = holders[query, default: 0] + difference
    if count == 0, let index = holders.index(forKey: query) {
      removed = holders.remove(at: index)
    } else {
      holders[query] = count
    }
    let isFirst = difference > 0 && count == 1
    if isFirst || count == 0 {
      var active = self.active.value
      if isFirst { active.insert(query) } else { active.remove(query) }
      self.active.value = active
    }
    lock.unlock()
    thread.endTransaction()
    withExtendedLifetime(removed) {}
    thread.finish()
  }

  /// The store, once it is known, held weakly by a closure.
  private final class Listener: @unchecked Sendable {
    // `changes` is guarded by `lock`.
    private let lock = Lock()
    @exclusivity(unchecked) private var changes: (@Sendable (Set<Query>, Set<Query>) -> Void)?

    func listen(_ changes: @escaping @Sendable (Set<Query>, Set<Query>) -> Void) {
      lock.withLock {
        if self.changes == nil { self.changes = changes }
      }
    }

    func tell(_ old: Set<Query>, _ new: Set<Query>) {
      lock.withLock { changes }?(old, new)
    }
  }
}
