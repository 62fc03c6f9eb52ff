/// A store that learns which queries its consumers hold, so that it fetches only data in use.
///
/// A consumer, such as a view, holds a query while it shows the result. The store is notified when a query gets its first
/// holder, and when it loses its last one.
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

  /// The queries that consumers hold. Declare this property as a `let`, with a new `Queries()` in each store.
  var queries: Queries<Query> { get }

  /// Called after the set of queries that consumers hold has changed.
  ///
  /// - The store receives every change once and in order, and the calls never overlap. In each call, `old` equals the `new`
  ///   of the previous call. All changes inside a reduce or a ``Dispatcher/transaction(_:)`` count as one change, which the
  ///   store receives after that code has ended. Changes that cancel each other out are left out.
  /// - The thread that made the change calls this method before ``query(_:)`` or `clean()` returns. If another thread is
  ///   already delivering a change to the store, that thread calls it instead.
  /// - No lock is held during a call, so the method may invoke any state, hold any query and clean any Dust. Changes that
  ///   it makes are delivered after it has returned. During a call, ``activeQueries`` can be newer than `new`.
  func activeQueriesDidChange(from old: Set<Query>, to new: Set<Query>)
}

extension Queryable {
  /// The queries that consumers hold now.
  public var activeQueries: Set<Query> { queries.active.value }

  /// Holds a query until you clean the returned Dust.
  ///
  /// You can call this method on any thread. Holding a query doesn't keep the store alive.
  ///
  /// > Warning: If you release the Dust without cleaning it, the query stays active until the store is deallocated.
  ///
  /// If two threads clean the Dust at the same time, the first one releases the query. The other one's `clean()` can return
  /// before that.
  ///
  /// - Complexity: O(1) if another consumer already holds the query. Otherwise, it's O(n) in the number of active queries,
  ///   because the store receives two sets of queries. The same holds for cleaning the Dust of a query's last holder.
  public func query(_ query: Query) -> Dust { queries.hold(query, of: self) }
}
