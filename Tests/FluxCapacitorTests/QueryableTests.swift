import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// Promise B8: the library calls a store when the set of its consumers' queries changes.
@Suite(.timeLimit(.minutes(20)))
struct QueryableTests {
  private let store = PriceStore()
  private let dusts = DustBuster()
  private let ended = Tally()

  @Test func queryBecomesActiveWhenTheFirstConsumerHoldsTheQuery() {
    store.query("a").cleaned(by: dusts)
    store.query("a").cleaned(by: dusts)
    store.query("b").cleaned(by: dusts)

    #expect(store.activeQueries == ["a", "b"])
    #expect(store.told.entries == [[[], ["a"]], [["a"], ["a", "b"]]])
  }

  @Test func queryEndsWhenTheLastConsumerCleansItsDust() {
    let first = store.query("a")
    let second = store.query("a")

    first.clean()
    let between = store.activeQueries
    second.clean()

    #expect(between == ["a"])
    #expect(store.activeQueries.isEmpty)
    #expect(store.told.entries == [[[], ["a"]], [["a"], []]])
  }

  @Test func cleaningADustBusterEndsItsQueries() {
    store.query("a").cleaned(by: dusts)

    dusts.clean()

    #expect(store.activeQueries.isEmpty)
  }

  @Test func queryThatTheStoreHoldsInsideActiveQueriesDidChangeIsDeliveredAfterThatCall() {
    store.onChange.value = { [store, dusts] _, new in
      if new == ["a"] { store.query("b").cleaned(by: dusts) }
      store.told.append([["after"], new])
    }

    store.query("a").cleaned(by: dusts)

    #expect(
      store.told.entries == [
        [[], ["a"]], [["after"], ["a"]], [["a"], ["a", "b"]], [["after"], ["a", "b"]],
      ]
    )
    store.onChange.value = { _, _ in }
  }

  @Test(.isolatedDispatcher) func storeReducesAStateThatIsInvokedInsideActiveQueriesDidChange() {
    let dispatcher = Dispatcher.shared
    let store = PriceStore.instantiate()
    store.onChange.value = { _, new in
      for product in new { dispatcher.dispatch(Price.of(product, 5)) }
    }

    store.query("a").cleaned(by: dusts)

    #expect(store.prices.value == ["a": 5])
  }

  @Test func queryThatBeginsAndEndsInATransactionDoesNotReachTheStore() {
    Dispatcher().transaction { store.query("a").clean() }

    #expect(store.told.entries.isEmpty)
  }

  @Test func cleanedDustOfAQueryRetainsNeitherTheQueryNorTheStoresQueries() {
    var store: EndingQueryStore? = EndingQueryStore()
    let dust = store?.query(EndingQuery(id: 1, end: AtEnd { [ended] in ended.add() }))

    dust?.clean()
    #expect(ended.value == 1)
    weak let queries = store?.queries
    store = nil

    #expect(queries == nil)
    withExtendedLifetime(dust) {}
  }

  @Test func queryThatIsNeverCleanedIsFreedWithItsStoreAndDust() {
    do {
      let store = EndingQueryStore()
      _ = store.query(EndingQuery(id: 1, end: AtEnd { [ended] in ended.add() }))
      let kept = store.query(EndingQuery(id: 2, end: AtEnd { [ended] in ended.add() }))
      #expect(ended.value == 0)
      withExtendedLifetime((store, kept)) {}
    }

    #expect(ended.value == 2)
  }

  @Test func deinitOfAQueryInATransactionActivatesAnotherQueryWithoutDeadlock() {
    let store = EndingQueryStore()
    Dispatcher().transaction {
      let first = store.query(
        EndingQuery(
          id: 1,
          end: AtEnd { [dusts] in store.query(EndingQuery(id: 2, end: nil)).cleaned(by: dusts) }
        )
      )
      let second = store.query(EndingQuery(id: 1, end: nil))
      first.clean()
      second.clean()
    }

    #expect(store.activeQueries.map(\.id) == [2])
  }

  @Test(.oneAtATime) func queryChangesFromManyThreadsReachTheStoreOneAtATimeAndInOrder() async {
    let store = ChainQueryStore()
    let missing = Log<Int>()

    await inParallel(8) { thread in
      for index in 0..<stress(25_000) {
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
