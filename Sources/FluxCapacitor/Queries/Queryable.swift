/// A store that learns which queries its consumers hold, so that the store fetches only data in use.
///
/// A consumer, such as a view, holds a query while the consumer shows the query's result. The store is
/// notified when the first consumer starts to hold a query, and when the last consumer releases the query.
///
/// ```swift
/// final class PriceStore: Queryable {
///   let queries = Queries<String>()
///   var prices: Constant<[String: Int]> { _prices.constant }
///   private let _prices = Variable<[String: Int]>([:])
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

  /// The queries that consumers hold. Declare this property as a `let`, and assign a new `Queries()` in
  /// each store.
  var queries: Queries<Query> { get }

  /// Called after a change to the set of queries that consumers hold.
  ///
  /// - The store receives every change once, in order, and the calls never overlap. In each call, `old`
  ///   equals the `new` of the previous call. All changes inside a reduce or a
  ///   ``Dispatcher/transaction(_:)`` count as one change. The store receives this change after the reduce
  ///   or the transaction has ended. The store doesn't receive changes that cancel each other out.
  /// - The thread that made the change calls this method before ``query(_:)`` or `clean()` returns. If
  ///   another thread is already delivering a change to the store, the other thread calls this method
  ///   instead.
  /// - No lock is held during a call, so the method may invoke any state, hold any query and clean any
  ///   Dust. Changes that the method makes are delivered after the method has returned. During a call,
  ///   ``activeQueries`` can be newer than `new`.
  func activeQueriesDidChange(from old: Set<Query>, to new: Set<Query>)
}

extension Queryable {
  /// The queries that consumers hold now.
  public var activeQueries: Set<Query> { queries.active.value }

  /// Holds a query until the Dust is cleaned.
  ///
  /// You can call this method on any thread. Holding a query doesn't keep the store alive.
  ///
  /// If two threads clean the Dust at the same time, the first thread releases the query. The second
  /// thread's `clean()` can return before the query is released.
  ///
  /// > Warning: If you release the Dust without cleaning it, the query stays active until the store is
  /// deallocated.
  ///
  /// - Complexity: O(1) if another consumer already holds the query. For a query's first holder, the
  ///   complexity is O(n) in the number of active queries, because the store receives two sets of queries.
  ///   Cleaning the Dust of a query's last holder is also O(n).
  public func query(_ query: Query) -> Dust { queries.hold(query, of: self) }
}
