/// The queries that are held of a ``Queryable`` store, which keeps this object in a `let`.
///
/// It belongs to one store; ``Queryable/query(_:)`` adds to it. See ``Queryable`` for an example.
public final class Queries<Query: Hashable & Sendable>: @unchecked Sendable {
  /// The queries that have a holder.
  let active = Variable<Set<Query>>([])

  // Both guarded by `lock`; `holders` is how many each query has.
  private let lock = Lock()
  @exclusivity(unchecked) private var holders: [Query: Int] = [:]
  @exclusivity(unchecked) private var isObserved = false

  /// Creates an object without queries.
  public init() {}

  /// Adds a holder of a query; the store is notified if it is the first.
  func hold<Store: Queryable>(_ query: Query, of store: Store) -> Dust where Store.Query == Query {
    adjustHolders(of: query, by: 1) { [weak store] old, new in
      // In a transaction, a query may have come and gone.
      if old != new { store?.activeQueriesDidChange(from: old, to: new) }
    }
    return ActionDust { self.adjustHolders(of: query, by: -1) }
  }

  /// Counts one holder of a query more or less.
  ///
  /// The set is written under the lock, in a transaction of its own, so that it changes in the order of
  /// the counting. The store is notified after unlocking.
  ///
  /// - Parameter changes: Observes the set, unless something already does.
  private func adjustHolders(
    of query: Query,
    by difference: Int,
    observedBy changes: (@Sendable (Set<Query>, Set<Query>) -> Void)? = nil
  ) {
    // Released after unlocking, because a deinit may run user code.
    var removed: (key: Query, value: Int)?
    let thread = CurrentThread.current
    thread.beginTransaction()
    lock.lock()
    if !isObserved, let changes {
      isObserved = true
      // The observation ends with `active`, and so with this object.
      _ = active.observeChanges(changes: changes)
    }
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
    thread.endTransaction()
    lock.unlock()
    withExtendedLifetime(removed) {}
    thread.finish()
  }
}
