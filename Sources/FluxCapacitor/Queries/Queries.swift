/// The queries that consumers hold on a ``Queryable`` store.
///
/// Each store declares a `let` property with its own `Queries`, to which ``Queryable/query(_:)`` adds queries.
/// ``Queryable`` shows an example.
public final class Queries<Query: Hashable & Sendable>: @unchecked Sendable {
  /// The queries that at least one consumer holds.
  let active = Variable<Set<Query>>([])

  /// The number of consumers that hold each query, which the lock of `active` guards.
  private var holders: [Query: Int] = [:]

  /// Whether the store observes `active`, which `lock` guards.
  private var isObserved = false
  private let lock = Lock()

  /// The surroundings in which the store is notified: those of its initializer.
  private let surroundings = Surroundings.current

  /// Creates a `Queries` object without queries.
  public init() {}

  /// Adds a consumer to a query's holders, and notifies the store if the query had no holders before.
  func hold<Store: Queryable>(_ query: Query, of store: Store) -> Dust where Store.Query == Query {
    lock.withLock {
      guard !isObserved else { return }
      isObserved = true
      // The code discards the Dust, because the observation ends when `active` is deallocated.
      Surroundings.call(in: surroundings) {
        _ = active.observeChanges { [weak store] old, new in
          // If one transaction adds and removes the same query, `old` and `new` are equal.
          if old != new { store?.activeQueriesDidChange(from: old, to: new) }
        }
      }
    }
    adjustHolders(of: query, by: 1)
    return ActionDust { self.adjustHolders(of: query, by: -1) }
  }

  /// Adds a number to the count of the consumers that hold a query.
  ///
  /// The count changes inside a mutation of `active`, so `active` changes in the same order as the counts.
  private func adjustHolders(of query: Query, by difference: Int) {
    let channel = active.channel
    let thread = channel.beginMutation()
    let count = holders[query, default: 0] + difference
    holders[query] = count == 0 ? nil : count
    let removed = count == 0 ? channel.value.remove(query) : nil
    let isAdded = count > 0 && channel.value.insert(query).inserted
    channel.endMutation(on: thread, isChange: isAdded || removed != nil)
    // The query is released after unlocking, because a query's `deinit` can run user code.
    releaseAfterUnlocking(removed)
  }
}
