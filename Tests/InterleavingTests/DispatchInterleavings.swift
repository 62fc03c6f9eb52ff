#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// D1, D2, D3 and D5: reduces never overlap, and every observer sees reduces in the same order. A state
  /// that is invoked inside a reduce waits for the end of that reduce.
  struct DispatchInterleavings {
    @Test func observersOfAllVariablesOfAStoreReceiveReducesInTheSameOrder() {
      explore { scenario in
        let store = CounterStore.instantiate()
        let (counts, doubles) = (store.count.logChanges(), store.doubled.logChanges { $0 / 2 })
        scenario.threads(1...2) { CounterAction().invoke(.set($0)) }
        scenario.check {
          #expect([[1, 2], [2, 1]].contains(counts.entries))
          #expect(doubles.entries == counts.entries)
          #expect(counts.last == store.count.value)
        }
      }
    }

    /// One of the two threads delivers the last change before that thread's `invoke` returns. No third
    /// thread exists that could take over the delivery.
    @Test func invokeReturnsAfterItsStateIsDeliveredUnlessAnotherThreadIsDelivering() {
      explore { scenario in
        let (store, log) = (CounterStore.instantiate(), Log<String>())
        _ = store.count.observe(ignoreFirst: true) { log.append("told \($0)") }
        scenario.threads(1...2) {
          CounterAction().invoke(.add($0))
          log.append("returned \($0)")
        }
        scenario.check {
          let logs = [
            // Each thread delivers its own change.
            ["told 1", "returned 1", "told 3", "returned 2"],
            ["told 2", "returned 2", "told 3", "returned 1"],
            ["told 1", "told 3", "returned 1", "returned 2"],
            ["told 1", "told 3", "returned 2", "returned 1"],
            ["told 2", "told 3", "returned 1", "returned 2"],
            ["told 2", "told 3", "returned 2", "returned 1"],
            // The thread that is delivering also delivers the second thread's change.
            ["told 1", "returned 2", "told 3", "returned 1"],
            ["told 2", "returned 1", "told 3", "returned 2"],
            ["returned 2", "told 1", "told 3", "returned 1"],
            ["returned 1", "told 2", "told 3", "returned 2"],
            // The thread that writes second delivers both changes.
            ["returned 1", "told 1", "told 3", "returned 2"],
            ["returned 2", "told 2", "told 3", "returned 1"],
          ]
          #expect(logs.contains(log.entries))
          #expect(store.count.value == 3)
        }
      }
    }

    @Test func stateInvokedByAnObserverIsReducedImmediatelyAndDeliveredAfterTheCurrentChange() {
      explore { scenario in
        let (store, reduced, first) = (FirstStore.instantiate(), Log<Int>(), Log<Int>())
        let add: @Sendable (Int) -> Void = { amount in
          dispatch { _ in
            store.number.value += amount
            reduced.append(store.number.value)
          }
        }
        _ = store.number.observe(ignoreFirst: true) { number in
          first.append(number)
          if number % 10 == 1 { add(1) }
        }
        let second = store.number.logChanges()
        scenario.thread { add(1) }
        scenario.thread { add(10) }
        scenario.keep(store)
        scenario.check {
          let told = reduced.entries
          let orders = [
            [1, 2, 12], [1, 11, 12], [10, 11, 12], [1, 11, 12, 13], [10, 11, 12, 13],
          ]
          #expect(orders.contains(told))
          #expect(first.entries == told)
          #expect(second.entries == told)
        }
      }
    }

    /// A reduce has invoked a state that waits for the observers of that reduce. If an observer's transaction reduced the
    /// state, two threads would take the turns of both dispatchers in opposite orders.
    @Test func stateThatWaitsIsReducedBeforeTheTransactionOfAnObserver() {
      explore { scenario in
        let (other, changed, log) = (Dispatcher(), Variable(0), Log<String>())
        scenario.keep(FirstStore.instantiate())
        _ = changed.observe(ignoreFirst: true) { _ in
          other.transaction {
            log.append("begins")
            Variable(0).modify { $0 = 1 }
            log.append("ends")
          }
        }
        scenario.thread {
          dispatch { _ in
            changed.value = 1
            dispatch { _ in log.append("reduces") }
          }
        }
        scenario.thread { Dispatcher.shared.transaction { other.transaction {} } }
        scenario.check { #expect(log.entries == ["reduces", "begins", "ends"]) }
      }
    }

    /// Before the dispatch, `FirstStore` has been registered and cleared. `CounterStore` has never been
    /// registered.
    @Test func dispatchOfAStateWithoutAStoreDoesNotWaitForATransactionOfAnotherThread() {
      var hasOverlapped = false
      explore { scenario in
        let log = Log<String>()
        FirstStore.instantiate().clear()
        scenario.transaction {
          log.append("begin")
          log.append("end")
        }
        scenario.thread {
          log.append("invoking")
          CounterAction().invoke(.add(1))
          dispatch { _ in }
          log.append("invoked")
        }
        scenario.check {
          #expect(log.entries.sorted() == ["begin", "end", "invoked", "invoking"])
          if log.entries == ["begin", "invoking", "invoked", "end"] { hasOverlapped = true }
        }
      }
      #expect(hasOverlapped)
    }

    /// Each thread also delivers changes of the other one.
    @Test func observersAndReducesSeeTheirOwnDispatcherWhicheverThreadDelivers() {
      explore { scenario in
        let (variable, wrong, calls) = (Variable(0), Log<String>(), Log<Int>())
        for number in 1...2 {
          let session = Dispatcher()
          let note = { @Sendable code in if Dispatcher.shared !== session { wrong.append(code) } }
          withDispatcher(session) {
            scenario.keep(FirstStore.instantiate())
            _ = variable.observe(ignoreFirst: true) { _ in
              note("observer")
              calls.append(number)
            }
          }
          scenario.thread {
            for dispatcher in [session, Dispatcher()] {
              withDispatcher(dispatcher) { variable.value = number }
            }
            session.dispatch(Step.run { _ in note("reduce") })
          }
        }
        scenario.check {
          #expect(wrong.entries == [])
          #expect(calls.entries.count == 8)
        }
      }
    }

    /// The store is freed after its reduce and before any observer is called.
    @Test func writesInAStoresDeinitAreDeliveredAfterTheWritesOfItsReduce() {
      explore { scenario in
        let (reduced, ended, log) = (Variable(0), Variable(0), Log<String>())
        let held = Log(EndingStore.instantiate())
        for store in held.entries { store.endings.append(AtEnd { ended.value = 1 }) }
        _ = ended.observe(ignoreFirst: true) { _ in log.append("ended") }
        _ = reduced.observe(ignoreFirst: true) { _ in log.append("reduced") }
        scenario.thread {
          dispatch { _ in
            reduced.value = 1
            held.removeAll()
          }
        }
        scenario.thread { _ = reduced.value }
        scenario.check { #expect(log.entries == ["reduced", "ended"]) }
      }
    }
  }

  private final class EndingStore: StepStore {
    typealias DispatchStateType = Step

    let name = "ending"
    let endings = Log<AtEnd>()
  }
#endif
