#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B8: a store is notified of each change to its active queries, once and in order.
  struct QueryableInterleavings {
    @Test func queryThatTwoThreadsHoldIsAddedToTheActiveQueriesOnce() {
      explore { scenario in
        let store = QueriedStore()
        let dusts = Log<Dust>()
        for _ in 1...2 {
          scenario.thread { dusts.append(store.query("a")) }
        }
        scenario.check {
          #expect(store.log.entries == ["→a"])
          #expect(store.activeQueries == ["a"])
        }
      }
    }

    @Test func storeReceivesChangesToItsActiveQueriesInOrderWithoutGaps() {
      explore { scenario in
        let store = QueriedStore()
        let dusts = Log<Dust>()
        scenario.thread { dusts.append(store.query("a")) }
        scenario.thread { store.query("b").clean() }
        scenario.check {
          let logs = [
            ["→a", "a→ab", "ab→a"],
            ["→b", "b→ab", "ab→a"],
            ["→b", "b→", "→a"],
          ]
          #expect(logs.contains(store.log.entries))
          #expect(store.activeQueries == ["a"])
        }
      }
    }

    @Test func queryStaysActiveUntilTheDustOfItsLastHolderIsCleaned() {
      explore { scenario in
        let store = QueriedStore()
        let dust = store.query("a")
        let dusts = Log<Dust>()
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
        for _ in 1...2 {
          scenario.thread { dust.clean() }
        }
        scenario.check {
          #expect(store.log.entries == ["→a"])
          #expect(store.activeQueries == ["a"])
          withExtendedLifetime(other) {}
        }
      }
    }

    @Test func transactionThatAddsTwoQueriesNotifiesTheQueryableStoreOnce() {
      explore { scenario in
        let store = QueriedStore()
        let dusts = Log<Dust>()
        scenario.thread {
          Dispatcher.shared.transaction {
            dusts.append(store.query("a"))
            dusts.append(store.query("b"))
          }
        }
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
        scenario.thread {
          Dispatcher.shared.transaction { dusts.append(store.query("a")) }
        }
        scenario.thread {
          dusts.append(store.query("b"))
          store.log.append("returned")
        }
        scenario.check {
          withExtendedLifetime(dusts) {
            #expect(store.log.entries == ["→a", "a→ab", "returned"])
          }
        }
      }
    }

    @Test func queryAddedAndCleanedInATransactionDoesNotNotifyTheStoreByItself() {
      explore { scenario in
        let store = QueriedStore()
        let dusts = Log<Dust>()
        scenario.thread { Dispatcher.shared.transaction { store.query("a").clean() } }
        scenario.thread { dusts.append(store.query("b")) }
        scenario.check {
          let logs = [
            ["→b"],
            // The second thread has added its query to the set during the transaction.
            ["→ab", "ab→b"],
          ]
          #expect(logs.contains(store.log.entries))
          #expect(store.activeQueries == ["b"])
        }
      }
    }

    @Test func storeCanAddAQueryInsideActiveQueriesDidChange() {
      explore { scenario in
        let store = QueriedStore()
        let dusts = Log<Dust>()
        store.onChange = { [unowned store] new in
          if new == ["a"] { dusts.append(store.query("c")) }
        }
        scenario.thread { dusts.append(store.query("a")) }
        scenario.thread { store.query("a").clean() }
        scenario.check {
          let logs = [["→a", "a→ac"], ["→a", "a→ac", "ac→c", "c→ac"]]
          #expect(logs.contains(store.log.entries))
          #expect(store.activeQueries == ["a", "c"])
        }
      }
    }

    /// When a query ends, the library doesn't notify a store that was freed.
    @Test func queryDoesNotKeepItsStoreAlive() {
      explore(isReduced: false) { scenario in
        let log = Log<String>()
        let (store, dust) = {
          let store = QueriedStore(log)
          return (Log(store), store.query("a"))
        }()
        scenario.thread { dust.clean() }
        scenario.thread { store.removeAll() }
        scenario.check {
          #expect([["→a", "a→", "deinit"], ["→a", "deinit"]].contains(log.entries))
          withExtendedLifetime(dust) {}
        }
      }
    }
  }

  private enum QueriedState: DispatchState {
    typealias RelatedStoreType = QueriedStore
    typealias RelatedActionType = QueriedAction
  }

  private struct QueriedAction: Actionable {
    typealias DispatchStateType = QueriedState
  }

  /// A store that logs changes to its queries, and its own deinit.
  private final class QueriedStore: Queryable, @unchecked Sendable {
    let queries = Queries<String>()
    var onChange: (Set<String>) -> Void = { _ in }
    let log: Log<String>

    init() {
      log = Log()
    }

    init(_ log: Log<String>) {
      self.log = log
    }

    deinit { log.append("deinit") }

    func activeQueriesDidChange(from old: Set<String>, to new: Set<String>) {
      log.append("\(old.sorted().joined())→\(new.sorted().joined())")
      onChange(new)
    }

    func reduce(with _: QueriedState) {}
  }
#endif
