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
        let diamond = Constant.combine(tenfold, Constant(number))
        let log = Log<[Int]>()
        let dust = diamond.observe(ignoreFirst: true) { log.append([$0.0, $0.1]) }
        scenario.thread { number.value = 1 }
        scenario.thread { number.value = 2 }
        scenario.check {
          let (last, first) = (number.value, 3 - number.value)
          #expect(log.entries == [[first * 10, first], [last * 10, last]])
          withExtendedLifetime(dust) {}
        }
      }
    }

    /// The longer path passes through `both`. The diamond must be computed after `both`.
    @Test func diamondWithPathsOfUnequalLengthDeliversEachWriteOnce() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let log = Log<[Int]>()
        let dust = Constant.combine(both, Constant(right))
          .observe(ignoreFirst: true) { log.append([$0.0.0, $0.0.1, $0.1]) }
        scenario.thread { left.value = 1 }
        scenario.thread { right.value = 2 }
        scenario.check {
          #expect([[[1, 0, 0], [1, 2, 2]], [[0, 2, 2], [1, 2, 2]]].contains(log.entries))
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func combinedConstantDeliversEachReduceAsOneChange() {
      explore { scenario in
        let store = CounterStore.instantiate()
        let log = Log<[Int]>()
        let dust = Constant.combine(store.count, store.doubled)
          .observe(ignoreFirst: true) { log.append([$0.0, $0.1]) }
        for _ in 1...2 {
          scenario.thread { CounterAction().invoke(.add(1)) }
        }
        scenario.check {
          #expect(log.entries == [[1, 2], [2, 4]])
          withExtendedLifetime((store, dust)) {}
        }
      }
    }

    @Test func combinedConstantDeliversATransactionAndAConcurrentWriteInTheOrderOfTheCommits() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let log = Log<[Int]>()
        let dust = observe(left, right, in: log)
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            left.value = 1
            right.value = 1
          }
        }
        scenario.thread { right.value = 5 }
        scenario.check {
          let whole = right.value == 5 ? [[1, 1], [1, 5]] : [[0, 5], [1, 1]]
          #expect(log.entries == whole || right.value == 5 && log.entries == [[1, 5]])
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func anotherThreadsWriteDuringATransactionIsDeliveredWithTheTransactionOrByItself() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let log = Log<[Int]>()
        let dust = observe(left, right, in: log)
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            left.value = 1
            right.value = 1
            left.value = 2
            left.value = 3
          }
        }
        scenario.thread { left.value = 5 }
        scenario.check {
          let whole = left.value == 5 ? [[3, 1], [5, 1]] : [[5, 0], [3, 1]]
          #expect(log.entries == whole || log.entries == [[left.value, 1]])
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func interleavedTransactionsOfTwoDispatchersEndWithTheVariablesValues() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let sum = Constant.combine(Constant(left), Constant(right)).map { $0.0 * 10 + $0.1 }
        let log = Log<Int>()
        let dust = sum.observe(ignoreFirst: true) { log.append($0) }
        let (first, second) = (Dispatcher(), Dispatcher())
        scenario.thread {
          first.transaction {
            left.value = 1
            right.value = 1
          }
        }
        scenario.thread {
          second.transaction {
            right.value = 2
            left.value = 2
          }
        }
        scenario.check {
          let last = left.value * 10 + right.value
          #expect(log.last == last)
          #expect(log.entries.count <= 2)
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func mutationAndTheWritesInItsBodyAreDeliveredAsOneChange() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let log = Log<[Int]>()
        let dust = observe(left, right, in: log)
        scenario.thread {
          left.modify {
            right.value = 1
            $0 = 1
          }
        }
        scenario.thread { left.value = 2 }
        scenario.check {
          let isLast = left.value == 2
          let whole = isLast ? [[1, 1], [2, 1]] : [[2, 0], [1, 1]]
          #expect(log.entries == whole)
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func combinedConstantIsNotDeliveredWhenAllItsInputsAreUnchanged() {
      explore { scenario in
        let number = Variable(0)
        let both = Constant.combine(number.removeDuplicates(), Constant(Variable(0)))
        let log = Log<Int>()
        let dust = both.observe(ignoreFirst: true) { log.append($0.0) }
        for _ in 1...2 {
          scenario.thread { number.value = 1 }
        }
        scenario.check {
          #expect(log.entries == [1])
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func combinedConstantIsNotDeliveredAgainWhenAnotherVariableReceivesAnEqualValue() {
      explore { scenario in
        let (number, other) = (Variable(0), Variable(0))
        let both = Constant.combine(number.removeDuplicates(), Constant(other))
        let log = Log<[Int]>()
        let dust = both.observe(ignoreFirst: true) { log.append([$0.0, $0.1]) }
        scenario.thread {
          other.value = 1
          number.value = 0
        }
        scenario.thread { _ = both.value }
        scenario.check {
          #expect(log.entries == [[0, 1]])
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func combineOfACombinedConstantDeliversChangesInTheOrderOfTheWrites() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let sum = Constant.combine(Constant(left), Constant(right)).map { $0.0 * 10 + $0.1 }
        let log = Log<[Int]>()
        let dust = Constant.combine(sum, Constant(right))
          .observe(ignoreFirst: true) { log.append([$0.0 / 10, $0.0 % 10, $0.1]) }
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            left.value = 1
            right.value = 1
          }
        }
        scenario.thread { right.value = 5 }
        scenario.check {
          let isLast = right.value == 5
          let whole = isLast ? [[1, 1, 1], [1, 5, 5]] : [[0, 5, 5], [1, 1, 1]]
          #expect(log.entries == whole || log.entries == [whole[1]])
          withExtendedLifetime(dust) {}
        }
      }
    }

    /// The inner diamond combines a source with itself. The outer diamond has paths of different lengths.
    @Test func diamondOfADiamondDeliversEachChangeOnce() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let twice = Constant.combine(both, both).map { $0 }
        let log = Log<[Int]>()
        let dust = Constant.combine(Constant(left), twice).observe(ignoreFirst: true) {
          log.append([$0.0, $0.1.0.0, $0.1.0.1, $0.1.1.0, $0.1.1.1])
        }
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            left.value = 1
            right.value = 2
          }
        }
        scenario.thread { right.value = 1 }
        scenario.check {
          let isLast = right.value == 2
          let whole =
            isLast
            ? [[0, 0, 1, 0, 1], [1, 1, 2, 1, 2]] : [[1, 1, 2, 1, 2], [1, 1, 1, 1, 1]]
          #expect(log.entries == whole || log.entries == [whole[1]])
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func diamondDeliversATransactionAndAConcurrentWriteInTheOrderOfTheWrites() {
      explore { scenario in
        let number = Variable(0)
        let log = Log<[Int]>()
        let dust = Constant.combine(number.map { $0 }, number.map { $0 })
          .observe(ignoreFirst: true) { log.append([$0.0, $0.1]) }
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            number.value = 1
            number.value = 3
          }
        }
        scenario.thread { number.value = 2 }
        scenario.check {
          let whole = number.value == 2 ? [[3, 3], [2, 2]] : [[2, 2], [3, 3]]
          #expect(log.entries == whole || log.entries == [whole[1]])
          withExtendedLifetime(dust) {}
        }
      }
    }
  }

  private func observe(
    _ left: Variable<Int>,
    _ right: Variable<Int>,
    in log: Log<[Int]>
  ) -> Dust {
    Constant.combine(Constant(left), Constant(right))
      .observe(ignoreFirst: true) { log.append([$0.0, $0.1]) }
  }
#endif
