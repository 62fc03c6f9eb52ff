/// A store that is notified of its consumers' queries, so that it fetches only the data in use.
///
/// A consumer holds a query for as long as it shows the result. The store is notified when a query gets its
/// first holder, and when the query loses its last one.
///
/// ```swift
/// final class PriceStore: Queryable {
///   let queries = Queries<String>()
///   let prices: Constant<[String: Int]>
///   private let _prices = Variable<[String: Int]>([:])
///
///   init() {
///     prices = Constant(_prices)
///   }
///
///   func activeQueriesDidChange(from old: Set<String>, to new: Set<String>) {
///     for product in new.subtracting(old) { print("Fetch the price of \(product).") }
///   }
///
///   func reduce(with state: Dispatcher.Price) {
///     switch state {
///     case .of(let product, let price): _prices.value[product] = price
///     }
///   }
/// }
///
/// func show(_ product: String, in store: PriceStore, until dustBuster: DustBuster) {
///   store.query(product).cleaned(by: dustBuster)
///   store.prices.observe { print($0[product] ?? 0) }.cleaned(by: dustBuster)
/// }
/// ```
public protocol Queryable<DispatchStateType>: Storable {
  /// The type of the queries that consumers can hold on this store.
  associatedtype Query: Hashable & Sendable

  /// The queries that consumers hold. Declare a `let` with a `Queries()` of this store's own.
  var queries: Queries<Query> { get }

  /// Called when queries have gained their first holder, or have lost their last one.
  ///
  /// - The store receives every change once, in order, and the calls never overlap. The old queries are the
  ///   new queries of the previous call. Inside a reduce or a ``Dispatcher/transaction(_:)``, all changes
  ///   count as one change, which is delivered after it. Changes that cancel each other out aren't
  ///   delivered.
  /// - The call happens on the thread that made the change or, when changes collide, on the thread that is
  ///   delivering. It happens before ``query(_:)`` or `clean()` returns, unless another thread is
  ///   delivering at that moment.
  /// - No lock is held during a call. The method may invoke, query and clean anything. Changes that it
  ///   makes itself are delivered after it has returned. ``activeQueries`` may be newer than the delivered
  ///   queries.
  func activeQueriesDidChange(from old: Set<Query>, to new: Set<Query>)
}

extension Queryable {
  /// The queries that consumers hold now.
  public var activeQueries: Set<Query> { queries.active.value }

  /// Holds a query until the Dust is cleaned.
  ///
  /// You can call this method on any thread. Holding a query doesn't keep the store alive. A deallocated
  /// store isn't notified anymore. If the Dust is released without being cleaned, the query is held for as
  /// long as the store exists.
  ///
  /// If two threads clean the Dust at the same time, one of them releases the query. The other thread's
  /// `clean()` may return while the query is still held.
  ///
  /// - Complexity: O(n) in the number of active queries for a query's first and last holder, because the
  ///   store receives the old and the new queries. O(1) for the other holders.
  public func query(_ query: Query) -> Dust { queries.hold(query, of: self) }
}
