/// The queries that consumers hold on a ``Queryable`` store.
///
/// Each store declares a `let` property with its own `Queries` object. ``Queryable/query(_:)`` adds a query
/// to this object. The documentation of ``Queryable`` shows an example.
public final class Queries<Query: Hashable & Sendable>: @unchecked Sendable {
  /// The queries that at least one consumer holds.
  let active = Variable<Set<Query>>([])

  // `lock` guards `holders` and `isObserved`. `holders` contains the number of consumers that hold each
  // query.
  private let lock = Lock()
  @exclusivity(unchecked) private var holders: [Query: Int] = [:]
  @exclusivity(unchecked) private var isObserved = false

  /// Creates a `Queries` object without queries.
  public init() {}

  /// Adds a consumer to a query's holders, and notifies the store if the query had no holders before.
  func hold<Store: Queryable>(_ query: Query, of store: Store) -> Dust where Store.Query == Query {
    adjustHolders(of: query, by: 1) { [weak store] old, new in
      // If one transaction adds and removes the same query, `old` and `new` are equal.
      if old != new { store?.activeQueriesDidChange(from: old, to: new) }
    }
    return ActionDust { self.adjustHolders(of: query, by: -1) }
  }

  /// Adds a number to the count of the consumers that hold a query.
  ///
  /// The method writes `active` under the lock, in a separate transaction, so `active` changes in the same
  /// order as the counts. The store is notified after the lock is released.
  ///
  /// - Parameter changes: The closure that observes `active`, if `active` has no observer yet.
  private func adjustHolders(
    of query: Query,
    by difference: Int,
    observedBy changes: (@Sendable (Set<Query>, Set<Query>) -> Void)? = nil
  ) {
    // The query is released after unlocking, because a query's `deinit` can run user code.
    var removed: (key: Query, value: Int)?
    let thread = CurrentThread.current
    thread.beginTransaction()
    lock.lock()
    if !isObserved, let changes {
      isObserved = true
      // The code discards the Dust, because the observation ends when `active` is deallocated.
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
