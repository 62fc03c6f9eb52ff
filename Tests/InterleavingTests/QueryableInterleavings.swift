#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B8: a store is notified of each change to its active queries, once and in order.
  struct QueryableInterleavings {
    @Test func queryThatTwoThreadsHoldIsAddedToTheActiveQueriesOnce() {
      explore { scenario in
        let (store, dusts) = (QueriedStore(), Log<Dust>())
        scenario.threads(1...2) { _ in dusts.append(store.query("a")) }
        scenario.check {
          #expect(store.log.entries == ["→a"])
          #expect(store.activeQueries == ["a"])
        }
      }
    }

    @Test func storeReceivesChangesToItsActiveQueriesInOrderWithoutGaps() {
      explore { scenario in
        let (store, dusts) = (QueriedStore(), Log<Dust>())
        scenario.thread { dusts.append(store.query("a")) }
        scenario.thread { store.query("b").clean() }
        scenario.check {
          let logs = [["→a", "a→ab", "ab→a"], ["→b", "b→ab", "ab→a"], ["→b", "b→", "→a"]]
          #expect(logs.contains(store.log.entries))
          #expect(store.activeQueries == ["a"])
        }
      }
    }

    @Test func queryStaysActiveUntilTheDustOfItsLastHolderIsCleaned() {
      explore { scenario in
        let (store, dusts) = (QueriedStore(), Log<Dust>())
        let dust = store.query("a")
        scenario.thread { dust.clean() }
        scenario.thread { dusts.append(store.query("a")) }
        scenario.check {
          #expect([["→a"], ["→a", "a→", "→a"]].contains(store.log.entries))
          #expect(store.activeQueries == ["a"])
        }
      }
    }

    @Test func concurrentCleansOfADustReleaseItsQueryOnce() {
      explore { scenario in
        let store = QueriedStore()
        let (dust, other) = (store.query("a"), store.query("a"))
        scenario.threads(1...2) { _ in dust.clean() }
        scenario.keep(other)
        scenario.check {
          #expect(store.log.entries == ["→a"])
          #expect(store.activeQueries == ["a"])
        }
      }
    }

    @Test func transactionThatAddsTwoQueriesNotifiesTheQueryableStoreOnce() {
      explore { scenario in
        let (store, dusts) = (QueriedStore(), Log<Dust>())
        scenario.transaction { for query in ["a", "b"] { dusts.append(store.query(query)) } }
        scenario.thread { dusts.append(store.query("c")) }
        scenario.check {
          let logs = [
            ["→ab", "ab→abc"],
            ["→c", "c→abc"],
            // The second thread has added its query to the set during the transaction.
            ["→ac", "ac→abc"],
            // Transactions that are open at the same time can become one change.
            ["→abc"],
          ]
          #expect(logs.contains(store.log.entries))
          #expect(store.activeQueries == ["a", "b", "c"])
        }
      }
    }

    /// If the second holder changed the active queries, a change by the other thread would wait for the end
    /// of the transaction.
    @Test func secondHolderOfAQueryDoesNotChangeTheActiveQueries() {
      explore { scenario in
        let store = QueriedStore()
        let dusts = Log(store.query("a"))
        scenario.transaction { dusts.append(store.query("a")) }
        scenario.thread {
          dusts.append(store.query("b"))
          store.log.append("returned")
        }
        scenario.keep(dusts)
        scenario.check { #expect(store.log.entries == ["→a", "a→ab", "returned"]) }
      }
    }

    /// When a query ends, the library doesn't notify a store that was freed.
    @Test func queryDoesNotKeepItsStoreAlive() {
      explore(isReduced: false) { scenario in
        let log = Log<String>()
        let (stores, dust) = {
          let store = QueriedStore(log)
          return (Log(store), store.query("a"))
        }()
        scenario.thread { dust.clean() }
        scenario.thread { stores.removeAll() }
        scenario.keep(dust)
        scenario.check {
          #expect([["→a", "a→", "deinit"], ["→a", "deinit"]].contains(log.entries))
        }
      }
    }
  }

  private enum QueriedState: DispatchState {
    typealias RelatedStoreType = QueriedStore
  }

  /// A store that logs changes to its queries, and its own deinit.
  private final class QueriedStore: Queryable, @unchecked Sendable {
    let queries = Queries<String>()
    let log: Log<String>

    convenience init() { self.init(Log()) }

    init(_ log: Log<String>) { self.log = log }

    deinit { log.append("deinit") }

    func activeQueriesDidChange(from old: Set<String>, to new: Set<String>) {
      log.append("\(old.sorted().joined())→\(new.sorted().joined())")
    }

    func reduce(with _: QueriedState) {}
  }
#endif
