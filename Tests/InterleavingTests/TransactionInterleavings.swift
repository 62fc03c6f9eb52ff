#if DEBUG
  @testable import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// D4: a dispatch or a transaction is one change, which is delivered after the dispatch or transaction
  /// has ended. `Dispatcher.read` never sees half of a change.
  struct TransactionInterleavings {
    @Test func threeOverlappingTransactionsEndWithTheVariablesValue() {
      explore { scenario in
        let variable = Variable(0)
        let log = variable.logChanges()
        for number in 1...3 {
          scenario.transaction(on: Dispatcher()) {
            variable.value = number
            // Lets another thread run first. The scheduler doesn't count this switch as a preemption.
            currentThread().yieldProcessor()
          }
        }
        scenario.check {
          #expect(log.last == variable.value)
          #expect(variable.channel.pendingWrite.transactions == 0)
        }
      }
    }
  }
#endif
