import FluxCapacitor
import Testing

/// B8: a store is told what its consumers want of it.
@Suite(.timeLimit(.minutes(2)))
struct QueryableTests {
  private let store = PriceStore()
  private let dusts = DustBuster()

  @Test func firstHolderMakesAQueryActive() {
    store.query("a").cleaned(by: dusts)
    store.query("a").cleaned(by: dusts)
    store.query("b").cleaned(by: dusts)

    #expect(store.activeQueries == ["a", "b"])
    #expect(store.told.entries == [[[], ["a"]], [["a"], ["a", "b"]]])
  }

  @Test func lastHolderEndsAQuery() {
    let first = store.query("a")
    let second = store.query("a")

    first.clean()
    let between = store.activeQueries
    second.clean()

    #expect(between == ["a"])
    #expect(store.activeQueries.isEmpty)
    #expect(store.told.entries == [[[], ["a"]], [["a"], []]])
  }

  @Test func cleanedDustEndsItsQueryOnce() {
    let first = store.query("a")
    store.query("a").cleaned(by: dusts)

    first.clean()
    first.clean()

    #expect(store.activeQueries == ["a"])
  }

  @Test func endedQueryCanBeHeldAgain() {
    store.query("a").clean()
    store.query("a").cleaned(by: dusts)

    #expect(store.told.entries == [[[], ["a"]], [["a"], []], [[], ["a"]]])
  }

  @Test func dustBusterEndsQueries() {
    store.query("a").cleaned(by: dusts)

    dusts.clean()

    #expect(store.activeQueries.isEmpty)
  }

  @Test func changesMadeWhileTheStoreIsToldAreToldAfterwards() {
    store.onChange.value = { [store, dusts] old, new in
      if new == ["a"] {
        store.query("b").cleaned(by: dusts)
        store.query("c").clean()
      }
      store.told.append([["after"], new])
    }

    store.query("a").cleaned(by: dusts)

    #expect(
      store.told.entries == [
        [[], ["a"]], [["after"], ["a"]],
        [["a"], ["a", "b"]], [["after"], ["a", "b"]],
        [["a", "b"], ["a", "b", "c"]], [["after"], ["a", "b", "c"]],
        [["a", "b", "c"], ["a", "b"]], [["after"], ["a", "b"]],
      ]
    )
    store.onChange.value = { _, _ in }
  }

  @Test func storeMayInvokeWhileItIsTold() {
    isolated { dispatcher in
      let store = PriceStore.instantiate()
      store.onChange.value = { _, new in
        for product in new { dispatcher.dispatch(Price.of(product, 5)) }
      }

      store.query("a").cleaned(by: dusts)

      #expect(store.prices.value == ["a": 5])
    }
  }

  @Test func transactionIsOneChange() {
    Dispatcher().transaction {
      store.query("a").cleaned(by: dusts)
      store.query("b").cleaned(by: dusts)
      #expect(store.told.entries.isEmpty)
    }

    #expect(store.told.entries == [[[], ["a", "b"]]])
  }

  @Test func queryThatComesAndGoesInATransactionIsNotTold() {
    Dispatcher().transaction { store.query("a").clean() }

    #expect(store.told.entries.isEmpty)
  }

  @Test func queriesDoNotKeepTheStore() {
    var store: PriceStore? = PriceStore()
    weak let held = store
    let dust = store?.query("a")

    store = nil
    #expect(held == nil)
    dust?.clean()
  }

  @Test func cleanedDustHoldsNothing() {
    let tally = Counted.Tally()
    var store: TokenStore? = TokenStore()
    let dust = store?.query(Token(tally))
    #expect(tally.count == 1)

    dust?.clean()
    let afterClean = tally.count
    weak let queries = store?.queries
    store = nil

    #expect(afterClean == 0)
    #expect(queries == nil)
    withExtendedLifetime(dust) {}
  }

  @Test func uncleanedQueriesGoWithTheStoreAndTheirDust() {
    let tally = Counted.Tally()
    do {
      let store = TokenStore()
      _ = store.query(Token(tally))
      let kept = store.query(Token(tally))
      #expect(tally.count == 2)
      withExtendedLifetime((store, kept)) {}
    }

    #expect(tally.count == 0)
  }

  /// In a transaction, nobody else keeps a set that has come and gone.
  @Test func endOfAQueryMayHoldAnother() {
    let store = EndingStore()
    Dispatcher().transaction {
      let first = store.query(
        Ending(
          id: 1,
          end: AtEnd { [dusts] in store.query(Ending(id: 2, end: nil)).cleaned(by: dusts) }
        )
      )
      let second = store.query(Ending(id: 1, end: nil))
      first.clean()
      second.clean()
    }

    #expect(store.activeQueries.map(\.id) == [2])
  }

  @Test func toldQueriesFormAChainFromManyThreads() {
    let store = ChainStore()
    let missing = Log<Int>()

    inParallel(8) { thread in
      for index in 0..<25_000 {
        let dust = store.query((index + thread) % 3)
        if !store.activeQueries.contains((index + thread) % 3) { missing.append(index) }
        dust.clean()
      }
    }

    #expect(store.activeQueries.isEmpty)
    #expect(store.last.isEmpty)
    #expect(store.isUnbroken)
    #expect(missing.entries.isEmpty)
  }
}

// MARK: - Stores

private enum Price: DispatchState {
  typealias RelatedStoreType = PriceStore
  typealias RelatedActionType = PriceAction

  case of(String, Int)
}

private struct PriceAction: Actionable {
  typealias DispatchStateType = Price
}

private final class PriceStore: Queryable {
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

private struct Token: Hashable, Sendable {
  private let counted: Counted

  init(_ tally: Counted.Tally) {
    counted = Counted(tally)
  }

  static func == (first: Token, second: Token) -> Bool { first.counted === second.counted }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(counted)) }
}

private final class TokenStore: Queryable {
  let queries = Queries<Token>()

  func activeQueriesDidChange(from _: Set<Token>, to _: Set<Token>) {}

  func reduce(with _: Price) {}
}

private struct Ending: Hashable, Sendable {
  let id: Int
  let end: AtEnd?

  static func == (first: Ending, second: Ending) -> Bool { first.id == second.id }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

private final class EndingStore: Queryable {
  let queries = Queries<Ending>()

  func activeQueriesDidChange(from _: Set<Ending>, to _: Set<Ending>) {}

  func reduce(with _: Price) {}
}

/// Nothing guards it but the promise that the calls never overlap: the thread sanitizer watches.
private final class ChainStore: Queryable, @unchecked Sendable {
  let queries = Queries<Int>()
  private(set) var last: Set<Int> = []
  private(set) var isUnbroken = true

  func activeQueriesDidChange(from old: Set<Int>, to new: Set<Int>) {
    isUnbroken = isUnbroken && old == last && new != old
    last = new
  }

  func reduce(with _: Price) {}
}
