/// A store that is told what its consumers want of it, so that it can fetch that and nothing else.
///
/// A consumer holds a query for as long as it shows the answer. The store is told when a query gets its
/// first holder, and when it loses its last one.
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
  /// What a consumer may want of this store.
  associatedtype Query: Hashable & Sendable

  /// The queries that somebody holds: a constant with a `Queries()` of this store's own.
  var queries: Queries<Query> { get }

  /// Tells that queries have got their first holder, or lost their last one.
  ///
  /// - Every change is told once, in order, and the calls never overlap: the old queries are the new
  ///   ones of the call before. Inside a reduce or a ``Dispatcher/transaction(_:)``, all changes count
  ///   as one, and are told after it, unless they cancel each other out.
  /// - It is called on the thread that made the change or, when changes collide, on the thread that is
  ///   telling, and before ``query(_:)`` or `clean()` returns, unless another thread is telling just
  ///   then.
  /// - No lock is held. It may invoke, query and clean anything; changes that it makes itself are told
  ///   after it has returned. ``activeQueries`` may be ahead of what is told.
  func activeQueriesDidChange(from old: Set<Query>, to new: Set<Query>)
}

extension Queryable {
  /// The queries that somebody holds now.
  public var activeQueries: Set<Query> { queries.active.value }

  /// Holds a query, until the Dust is cleaned.
  ///
  /// It may be called on any thread. Holding a query does not keep the store alive, and a store that is
  /// gone is told no more. A Dust that is let go of uncleaned holds its query as long as the store is
  /// there.
  ///
  /// - Complexity: O(n) in the number of active queries for the first and the last holder of one, for
  ///   the store is given the queries before and after; O(1) for the others.
  public func query(_ query: Query) -> Dust {
    queries.hold(query, of: self)
  }
}
