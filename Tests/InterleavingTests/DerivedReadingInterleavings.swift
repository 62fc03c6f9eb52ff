#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: a derived constant is computed at most once for each change. A read combines values that the
  /// variables have at the same time.
  struct DerivedReadingInterleavings {
    @Test func readOfADiamondComputesBothPathsFromTheSameValueOfTheVariable() {
      explore { scenario in
        let number = Variable(0)
        let diamond = Constant.combine(number.map { $0 * 10 }, Constant(number))
        let log = Log<[Int]>()
        scenario.thread {
          number.value = 1
          number.value = 2
        }
        scenario.thread {
          for _ in 1...2 {
            let value = diamond.value
            log.append([value.0, value.1])
          }
        }
        scenario.check {
          let entries = log.entries
          #expect(entries.allSatisfy { $0[0] == $0[1] * 10 })
          #expect(entries[0][1] <= entries[1][1])
          #expect(diamond.value == (20, 2))
        }
      }
    }

    @Test func readOfACombinedConstantReturnsValuesThatItsVariablesHadAtTheSameTime() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let log = Log<[Int]>()
        scenario.thread {
          left.value = 1
          right.value = 1
        }
        scenario.thread {
          let value = both.value
          log.append([value.0, value.1])
        }
        scenario.check {
          #expect([[0, 0], [1, 0], [1, 1]].contains(log.entries[0]))
          #expect(both.value == (1, 1))
        }
      }
    }

    /// The sum derives from the left variable by two paths.
    @Test func readOfADerivedConstantDoesNotComputeADeliveredValueAgain() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let computations = Log<Int>()
        let sum = Constant.combine(both, Constant(left)).map { both, left in
          computations.append(left)
          return both.0 + both.1 + left
        }
        let dust = sum.observe(ignoreFirst: true) { _ in }
        scenario.thread { left.value = 1 }
        scenario.thread { right.value = 1 }
        scenario.check {
          let count = computations.entries.count
          #expect(sum.value == 3)
          #expect(computations.entries.count == count)
          withExtendedLifetime(dust) {}
        }
      }
    }

    /// A read that waits for one variable's lock holds no lock of a second variable, which a mutation might
    /// need.
    @Test func readOfACombinedConstantDoesNotDeadlockWithAMutationThatReadsAVariable() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let log = Log<[Int]>()
        scenario.thread { right.modify { $0 = left.value + 1 } }
        scenario.thread {
          let value = both.value
          log.append([value.0, value.1])
        }
        scenario.check { #expect([[[0, 0]], [[0, 1]]].contains(log.entries)) }
      }
    }

    @Test func concurrentReadersOfAMapNeverReadAnOlderValueAfterANewerValue() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let log = Log<Int>()
        scenario.thread {
          number.value = 1
          log.append(tenfold.value)
        }
        scenario.thread {
          let value = tenfold.value
          let next = tenfold.value
          if value > next { log.append(value) }
        }
        scenario.check {
          #expect(log.entries == [10])
          #expect(tenfold.value == 10)
        }
      }
    }

    @Test func mapIsComputedOncePerChangeForAllItsObservers() {
      explore { scenario in
        let number = Variable(0)
        let computed = Log<Int>()
        let tenfold = number.map {
          computed.append($0)
          return $0 * 10
        }
        let (log, other) = (Log<Int>(), Log<Int>())
        let dusts = [
          tenfold.observe(ignoreFirst: true) { log.append($0) },
          tenfold.map { $0 + 1 }.observe(ignoreFirst: true) { other.append($0) },
        ]
        scenario.thread { number.value = 1 }
        scenario.thread { number.value = 2 }
        scenario.check {
          let last = number.value
          #expect(computed.entries == [3 - last, last])
          #expect(log.entries == [(3 - last) * 10, last * 10])
          #expect(other.entries == [(3 - last) * 10 + 1, last * 10 + 1])
          #expect(tenfold.value == last * 10)
          #expect(computed.entries.count == 2)
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// The observer of `both` reads the sum before the sum is delivered.
    @Test func derivedValueReadBeforeItsDeliveryIsNotComputedAgainForTheDelivery() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let computed = Log<Int>()
        let sum = both.map {
          computed.append($0.0 + $0.1)
          return $0.0 + $0.1
        }
        let log = Log<Int>()
        let dusts = [
          both.observe(ignoreFirst: true) { _ in _ = sum.value },
          sum.observe(ignoreFirst: true) { log.append($0) },
        ]
        scenario.thread { left.value = 1 }
        scenario.thread { right.value = 1 }
        scenario.check {
          #expect(computed.entries.sorted() == [1, 2])
          #expect(log.entries == [1, 2])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func mapOfRemoveDuplicatesReadBeforeItsDeliveryIsNotComputedAgainForTheDelivery() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.removeDuplicates()
        let computed = Log<Int>()
        let tenfold = distinct.map {
          computed.append($0)
          return $0 * 10
        }
        let log = Log<Int>()
        let dusts = [
          distinct.observe(ignoreFirst: true) { _ in _ = tenfold.value },
          tenfold.observe { log.append($0) },
        ]
        scenario.thread { number.value = 1 }
        scenario.thread { number.value = 2 }
        scenario.check {
          let last = number.value
          #expect(computed.entries.sorted() == [0, 1, 2])
          #expect(log.entries == [0, (3 - last) * 10, last * 10])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func readOfAMapBeforeADeliveryDoesNotChangeTheValuesThatObserversReceive() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (log, read) = (Log<Int>(), Log<Int>())
        let dust = tenfold.observe(ignoreFirst: true) { log.append($0) }
        scenario.thread {
          number.value = 1
          number.value = 2
        }
        scenario.thread {
          read.append(tenfold.value)
          read.append(tenfold.value)
        }
        scenario.check {
          #expect(log.entries == [10, 20])
          #expect(read.entries[0] <= read.entries[1])
          #expect(tenfold.value == 20)
          withExtendedLifetime(dust) {}
        }
      }
    }

    /// The delivering thread finds a value that one reader has stored. A second reader then replaces the
    /// stored value.
    @Test func mapDoesNotDeliverAValueReadAfterALaterWriteForAnEarlierChange() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let log = Log<Int>()
        let dust = tenfold.observe(ignoreFirst: true) { log.append($0) }
        scenario.thread {
          Dispatcher.shared.transaction {
            number.value = 1
            _ = tenfold.value
          }
        }
        scenario.thread {
          number.value = 2
          _ = tenfold.value
        }
        scenario.check {
          #expect([[10, 20], [20, 10], [20]].contains(log.entries))
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func mapReadInsideItsObserverIsNeverOlderThanTheReceivedValue() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let log = Log<[Int]>()
        let dust = tenfold.observe(ignoreFirst: true) { log.append([$0, tenfold.value]) }
        scenario.thread { number.value = 1 }
        scenario.thread { number.value = 2 }
        scenario.check {
          let (first, last) = (30 - number.value * 10, number.value * 10)
          #expect(
            [[[first, first], [last, last]], [[first, last], [last, last]]].contains(log.entries)
          )
          withExtendedLifetime(dust) {}
        }
      }
    }

    @Test func removeDuplicatesDeliversNoEqualValueAfterAConcurrentRead() {
      explore { scenario in
        let number = Variable(0)
        let (computed, log) = (Log<Int>(), Log<Int>())
        let half = number.map { $0 / 2 }.removeDuplicates()
        let dust = half.map {
          computed.append($0)
          return $0
        }
        .observe { log.append($0) }
        scenario.thread {
          number.value = 1
          number.value = 2
        }
        scenario.thread { _ = half.value }
        scenario.check {
          #expect(log.entries == [0, 1])
          #expect(computed.entries == [0, 1])
          #expect(half.value == 1)
          withExtendedLifetime(dust) {}
        }
      }
    }

    /// While changes are pending, a reader doesn't know the value that is delivered before the reader's own
    /// value.
    @Test func readOfRemoveDuplicatesDuringPendingChangesReturnsTheLastWrittenValue() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.removeDuplicates { $0 / 10 == $1 / 10 }
        let (log, read) = (Log<Int>(), Log<Int>())
        let dust = distinct.observe(ignoreFirst: true) { log.append($0) }
        _ = distinct.value
        scenario.thread { number.value = 10 }
        scenario.thread {
          number.value = 5
          read.append(distinct.value)
        }
        scenario.check {
          let isLast = number.value == 5
          #expect(log.entries == (isLast ? [10, 5] : [10]))
          #expect((isLast ? [5] : [0, 5, 10]).contains(read.entries[0]))
          withExtendedLifetime(dust) {}
        }
      }
    }
  }
#endif
