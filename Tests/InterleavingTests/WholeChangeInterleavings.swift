#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: a diamond (a combined constant whose sources share a variable) calls its observers once for each
  /// change, in order. The diamond never mixes old and new values.
  struct WholeChangeInterleavings {
    @Test func diamondDeliversEachWriteOnce() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 5 }.map { $0 * 2 }
        let log = Constant.combine(tenfold, number).logChanges { [$0.0, $0.1] }
        scenario.threads(1...2) { number.value = $0 }
        scenario.check {
          #expect(log.entries == [3 - number.value, number.value].map { [$0 * 10, $0] })
        }
      }
    }

    /// The longer path passes through `both`. The diamond must be computed after `both`.
    @Test func diamondWithPathsOfUnequalLengthDeliversEachWriteOnce() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(left, right)
        let log = Constant.combine(both, right).logChanges { [$0.0.0, $0.0.1, $0.1] }
        scenario.thread { left.value = 1 }
        scenario.thread { right.value = 2 }
        scenario.check {
          #expect([[[1, 0, 0], [1, 2, 2]], [[0, 2, 2], [1, 2, 2]]].contains(log.entries))
        }
      }
    }

    @Test func combinedConstantDeliversEachReduceAsOneChange() {
      explore { scenario in
        let store = CounterStore.instantiate()
        let log = Constant.combine(store.count, store.doubled).logChanges { [$0.0, $0.1] }
        scenario.threads(1...2) { _ in CounterAction().invoke(.add(1)) }
        scenario.keep(store)
        scenario.check { #expect(log.entries == [[1, 2], [2, 4]]) }
      }
    }

    @Test func combinedConstantDeliversATransactionAndAConcurrentWriteInTheOrderOfTheCommits() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let log = Constant.combine(left, right).logChanges { [$0.0, $0.1] }
        scenario.transaction {
          left.value = 1
          right.value = 1
        }
        scenario.thread { right.value = 5 }
        scenario.check {
          let logs = right.value == 5 ? [[[1, 1], [1, 5]], [[1, 5]]] : [[[0, 5], [1, 1]]]
          #expect(logs.contains(log.entries))
        }
      }
    }

    @Test func mutationAndTheWritesInItsBodyAreDeliveredAsOneChange() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let log = Constant.combine(left, right).logChanges { [$0.0, $0.1] }
        scenario.thread {
          left.modify {
            right.value = 1
            $0 = 1
          }
        }
        scenario.thread { left.value = 2 }
        scenario.check {
          #expect(log.entries == (left.value == 2 ? [[1, 1], [2, 1]] : [[2, 0], [1, 1]]))
        }
      }
    }

    @Test func combinedConstantIsNotDeliveredWhenAllItsInputsAreUnchanged() {
      explore { scenario in
        let number = Variable(0)
        let log = Constant.combine(number.removeDuplicates(), Variable(0)).logChanges { $0.0 }
        scenario.threads(1...2) { _ in number.value = 1 }
        scenario.check { #expect(log.entries == [1]) }
      }
    }

    @Test func combinedConstantIsNotDeliveredAgainWhenAnotherVariableReceivesAnEqualValue() {
      explore { scenario in
        let (number, other) = (Variable(0), Variable(0))
        let both = Constant.combine(number.removeDuplicates(), other)
        let log = both.logChanges { [$0.0, $0.1] }
        scenario.thread {
          other.value = 1
          number.value = 0
        }
        scenario.thread { _ = both.value }
        scenario.check { #expect(log.entries == [[0, 1]]) }
      }
    }

    @Test func combineOfACombinedConstantDeliversChangesInTheOrderOfTheWrites() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let sum = Constant.combine(left, right).map { $0 * 10 + $1 }
        let log = Constant.combine(sum, right).logChanges { [$0 / 10, $0 % 10, $1] }
        scenario.transaction {
          left.value = 1
          right.value = 1
        }
        scenario.thread { right.value = 5 }
        scenario.check {
          let isLast = right.value == 5
          let whole = isLast ? [[1, 1, 1], [1, 5, 5]] : [[0, 5, 5], [1, 1, 1]]
          #expect(log.entries == whole || log.entries == [whole[1]])
        }
      }
    }
  }
#endif
