#if DEBUG
  @testable import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// D4: a dispatch or a transaction is one change, which is delivered after the dispatch or transaction
  /// has ended. `Dispatcher.read` never sees half of a change.
  struct TransactionInterleavings {
    @Test func dispatcherReadNeverSeesHalfOfAReduce() {
      explore { scenario in
        let (store, seen) = (CounterStore.instantiate(), Log<[Int]>())
        scenario.thread { CounterAction().invoke(.add(1)) }
        scenario.thread {
          seen.append(Dispatcher.shared.read { [store.count.value, store.doubled.value] })
        }
        scenario.check { #expect([[[0, 0]], [[1, 2]]].contains(seen.entries)) }
      }
    }

    @Test func transactionDoesNotOverlapAReduceOfAnotherThread() {
      explore { scenario in
        let (store, log) = (FirstStore.instantiate(), Log<String>())
        _ = store.number.observe(ignoreFirst: true) { log.append("told \($0)") }
        scenario.transaction {
          log.append("begin")
          for value in 1...2 { store.number.value = value }
          log.append("end")
        }
        scenario.thread {
          dispatch { _ in
            log.append("reduce")
            store.number.value += 10
          }
        }
        scenario.check {
          let logs = [
            ["begin", "end", "told 2", "reduce", "told 12"],
            ["begin", "end", "reduce", "told 2", "told 12"],
            ["reduce", "told 10", "begin", "end", "told 2"],
            ["reduce", "begin", "told 10", "end", "told 2"],
            ["reduce", "begin", "end", "told 10", "told 2"],
          ]
          #expect(logs.contains(log.entries))
        }
      }
    }

    /// A write on a second thread doesn't wait until the transaction has ended. Observers receive values in
    /// the order of the writes.
    @Test func transactionDeliversItsLastValueAtMostOnceDuringAWriteOfAnotherThread() {
      explore { scenario in
        let (first, second) = (Variable(0), Variable(0))
        let (firsts, seconds) = (first.logChanges(), second.logChanges())
        scenario.transaction {
          first.value = 1
          second.value = 3
          first.value = 2
        }
        scenario.thread { first.value = 5 }
        scenario.check {
          #expect([[2, 5], [5, 2], [5], [2]].contains(firsts.entries))
          #expect(seconds.entries == [3])
          #expect(firsts.last == first.value)
        }
      }
    }

    /// Before a thread delivers a value that it has committed, a second thread can commit a later value.
    @Test func committedValuesOfTwoThreadsAreDeliveredByOneThreadAtATime() {
      explore { scenario in
        let (trigger, variable, log) = (Variable(0), Variable(0), Log<String>())
        let write = { @Sendable (count: Int) in
          for _ in 1...count { Dispatcher.shared.transaction { variable.value += 1 } }
        }
        _ = variable.observe(ignoreFirst: true) { value in
          log.append("begin \(value)")
          log.append("end \(value)")
        }
        // Both transactions commit before the library delivers either value.
        _ = trigger.observe(ignoreFirst: true) { _ in write(2) }
        scenario.thread { trigger.value = 1 }
        scenario.thread { write(3) }
        scenario.check {
          #expect(log.entries == (1...5).flatMap { ["begin \($0)", "end \($0)"] })
        }
      }
    }

    /// The observer is added while the value of the first transaction is still pending.
    @Test func observerAddedBetweenTwoPendingTransactionsReceivesOnlyTheSecondTransaction() {
      explore { scenario in
        let (trigger, variable, log) = (Variable(0), Variable(0), Log<Int>())
        _ = Constant.combine(variable, Variable(0)).observe { _ in }
        _ = trigger.observe(ignoreFirst: true) { _ in
          // Both transactions commit before the library delivers either value.
          Dispatcher.shared.transaction { variable.value = 1 }
          _ = variable.observe(ignoreFirst: true) { log.append($0) }
          Dispatcher.shared.transaction { variable.value = 2 }
        }
        scenario.thread { trigger.value = 1 }
        scenario.thread { _ = variable.value }
        scenario.check { #expect(log.entries == [2]) }
      }
    }

    @Test func overlappingTransactionsOfTwoDispatchersAreDeliveredAtMostOnceEach() {
      explore { scenario in
        let variable = Variable(0)
        let log = variable.logChanges()
        for number in 1...2 {
          scenario.transaction(on: Dispatcher()) {
            variable.value = number * 10
            variable.value += number
          }
        }
        scenario.check {
          // A transaction can add its number to a value of the other transaction. The first one to end
          // delivers the variable, perhaps with half of the other transaction.
          let values = [10, 11, 12, 13, 20, 21, 22, 23]
          #expect(log.entries.allSatisfy(values.contains))
          #expect((1...2).contains(log.entries.count))
          #expect(log.last == variable.value)
        }
      }
    }

    /// If both transactions write the variable before either of them ends, the first one to end delivers the
    /// variable.
    @Test func valueThatOneTransactionHasDeliveredIsNotDeliveredAgainByAnotherTransaction() {
      explore { scenario in
        let variable = Variable(0)
        let log = variable.logChanges()
        for number in 1...2 {
          scenario.transaction(on: Dispatcher()) { variable.value = number }
        }
        scenario.check {
          #expect([[1, 2], [2, 1], [1], [2]].contains(log.entries))
          #expect(log.last == variable.value)
        }
      }
    }

    @Test func threeOverlappingTransactionsEndWithTheVariablesValue() {
      explore { scenario in
        let variable = Variable(0)
        let log = variable.logChanges()
        for number in 1...3 {
          scenario.transaction(on: Dispatcher()) {
            variable.value = number
            // Lets another thread run first. The scheduler doesn't count this switch as a preemption.
            CurrentThread.current.yieldProcessor()
          }
        }
        scenario.check {
          #expect(log.last == variable.value)
          #expect(variable.channel.mark.transactions == 0)
        }
      }
    }

    @Test func stateInvokedInADispatcherReadIsReducedAfterTheRead() {
      explore { scenario in
        let (store, seen) = (CounterStore.instantiate(), Log<Int>())
        let told = store.count.logChanges()
        scenario.thread {
          Dispatcher.shared.read {
            seen.append(store.count.value)
            CounterAction().invoke(.add(1))
            seen.append(store.count.value)
          }
        }
        scenario.thread { CounterAction().invoke(.add(10)) }
        scenario.keep(store)
        scenario.check {
          #expect([[0, 0], [10, 10]].contains(seen.entries))
          #expect([[1, 11], [10, 11]].contains(told.entries))
        }
      }
    }
  }
#endif
