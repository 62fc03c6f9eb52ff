import FluxCapacitor
import FluxCapacitorTestSupport

enum Price: DispatchState {
  typealias RelatedStoreType = PriceStore

  case of(String, Int)
}

final class PriceStore: Queryable {
  let queries = Queries<String>()
  let prices = Variable<[String: Int]>([:])
  let told = Log<[Set<String>]>()
  let onChange = Variable<@Sendable (Set<String>, Set<String>) -> Void>({ _, _ in })

  func activeQueriesDidChange(from old: Set<String>, to new: Set<String>) {
    told.append([old, new])
    onChange.value(old, new)
  }

  func reduce(with state: Price) {
    switch state {
    case .of(let product, let price): prices.value[product] = price
    }
  }
}

struct EndingQuery: Hashable, Sendable {
  let id: Int
  let end: AtEnd?

  static func == (first: EndingQuery, second: EndingQuery) -> Bool { first.id == second.id }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

final class EndingQueryStore: Queryable {
  let queries = Queries<EndingQuery>()

  func activeQueriesDidChange(from _: Set<EndingQuery>, to _: Set<EndingQuery>) {}

  func reduce(with _: Price) {}
}

/// `@unchecked Sendable` is safe because calls of `activeQueriesDidChange` never overlap.
///
/// The thread sanitizer reports overlapping calls.
final class ChainQueryStore: Queryable, @unchecked Sendable {
  let queries = Queries<Int>()
  private(set) var last: Set<Int> = []
  private(set) var isUnbroken = true

  func activeQueriesDidChange(from old: Set<Int>, to new: Set<Int>) {
    isUnbroken = isUnbroken && old == last && new != old
    last = new
  }

  func reduce(with _: Price) {}
}
