/// A store that is notified of what its consumers want, so that it can fetch that and nothing else.
///
/// A consumer holds a query for as long as it shows the result. The store is notified when a query
/// gets its first holder, and when it loses its last one.
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
  /// What a consumer may ask of this store.
  associatedtype Query: Hashable & Sendable

  /// The queries that are held: a `let` with a `Queries()` of this store's own.
  var queries: Queries<Query> { get }

  /// Called when queries have got their first holder, or lost their last one.
  ///
  /// - Every change is delivered once, in order, and the calls never overlap: the old queries are
  ///   the new ones of the call before. Inside a reduce or a ``Dispatcher/transaction(_:)``, all
  ///   changes count as one, which is delivered after it, unless they cancel each other out.
  /// - It is called on the thread that made the change or, when changes collide, on the thread that
  ///   is delivering. It is called before ``query(_:)`` or `clean()` returns, unless another thread
  ///   is delivering at that moment.
  /// - No lock is held during a call. It may invoke, query and clean anything; changes that it
  ///   makes itself are delivered after it has returned. ``activeQueries`` may be ahead of what has
  ///   been delivered.
  func activeQueriesDidChange(from old: Set<Query>, to new: Set<Query>)
}

extension Queryable {
  /// The queries that are held now.
  public var activeQueries: Set<Query> { queries.active.value }

  /// Holds a query until the Dust is cleaned.
  ///
  /// You can call it on any thread. Holding a query doesn't keep the store alive, and a store that
  /// is deallocated is no longer notified. If the Dust is released without being cleaned, the query
  /// is held for as long as the store exists. Of two threads that clean the Dust at the same time, one
  /// lets go of the query; for the other, it may still be held when its `clean()` returns.
  ///
  /// - Complexity: O(n) in the number of active queries for the first and the last holder of a
  ///   query, because the store receives the queries before and after; O(1) for the others.
  public func query(_ query: Query) -> Dust { queries.hold(query, of: self) }
}
