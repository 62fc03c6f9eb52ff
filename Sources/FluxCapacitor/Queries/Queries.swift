/// The queries that consumers hold on a ``Queryable`` store.
///
/// A store keeps a `Queries` of its own in a `let`, and ``Queryable/query(_:)`` adds queries to it. For an
/// example, see ``Queryable``.
public final class Queries<Query: Hashable & Sendable>: @unchecked Sendable {
  /// The queries that have at least one holder.
  let active = Variable<Set<Query>>([])

  // Both guarded by `lock`. `holders` contains the number of holders of each query.
  private let lock = Lock()
  @exclusivity(unchecked) private var holders: [Query: Int] = [:]
  @exclusivity(unchecked) private var isObserved = false

  /// Creates an object without queries.
  public init() {}

  /// Adds a holder of a query. If it is the query's first holder, the store is notified.
  func hold<Store: Queryable>(_ query: Query, of store: Store) -> Dust where Store.Query == Query {
    adjustHolders(of: query, by: 1) { [weak store] old, new in
      // A query may gain and lose its holders inside one transaction.
      if old != new { store?.activeQueriesDidChange(from: old, to: new) }
    }
    return ActionDust { self.adjustHolders(of: query, by: -1) }
  }

  /// Adds a number to the count of a query's holders.
  ///
  /// The set is written under the lock, in a transaction of its own, so that it changes in the order of the
  /// counting. The store is notified after unlocking.
  ///
  /// - Parameter changes: A closure that observes the set, unless an observer already does.
  private func adjustHolders(
    of query: Query,
    by difference: Int,
    observedBy changes: (@Sendable (Set<Query>, Set<Query>) -> Void)? = nil
  ) {
    // The query is released after unlocking, because a deinit may run user code.
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
