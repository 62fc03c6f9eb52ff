#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// B1: an observer that subscribes to a derived constant during changes receives one value first. The
  /// observer never receives half of a later transaction.
  struct DerivedObservingInterleavings {
    @Test func observerThatSubscribesToACombineDuringWritesReceivesEachLaterChange() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let (log, dusts) = (Log<[Int]>(), Log<Dust>())
        scenario.thread {
          left.value = 1
          right.value = 1
        }
        scenario.thread { dusts.append(both.observe { log.append([$0.0, $0.1]) }) }
        scenario.check {
          #expect([[0, 0], [1, 0], [1, 1]].hasSuffix(log.entries))
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerThatSubscribesToACombineDuringATransactionEndsWithAllItsWrites() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let (log, others) = (Log<[Int]>(), Log<[Int]>())
        let dusts = Log(both.observe(ignoreFirst: true) { others.append([$0.0, $0.1]) })
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            left.value = 1
            right.value = 1
          }
        }
        scenario.thread { dusts.append(both.observe { log.append([$0.0, $0.1]) }) }
        scenario.check {
          let logs = [[[0, 0], [1, 1]], [[1, 0], [1, 1]], [[1, 1]], [[1, 1], [1, 1]]]
          #expect(logs.contains(log.entries))
          #expect(others.entries == [[1, 1]])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// A transaction that is delivered before a concurrent write doesn't contain the written value.
    @Test func lastCallOfAnObserverThatSubscribesDuringAConcurrentTransactionContainsAllWrites() {
      explore { scenario in
        let (first, second, third) = (Variable(0), Variable(0), Variable(0))
        let all = Constant.combine(Constant(first), Constant(second), Constant(third))
        let (log, others) = (Log<[Int]>(), Log<[Int]>())
        let dusts = Log(all.observe(ignoreFirst: true) { others.append([$0.0, $0.1, $0.2]) })
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            first.value = 1
            third.value = 1
          }
        }
        scenario.thread {
          second.value = 1
          dusts.append(all.observe { log.append([$0.0, $0.1, $0.2]) })
        }
        scenario.check {
          #expect([[[1, 0, 1], [1, 1, 1]], [[0, 1, 0], [1, 1, 1]]].contains(others.entries))
          #expect(log.last == [1, 1, 1])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// The new outer constant also receives a change that a thread is still delivering to the inner
    /// constant.
    @Test func combinedConstantObservedDuringChangesToItsSourceEndsWithTheLastValues() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let outer = Constant.combine(Constant(right), both)
        let log = Log<[Int]>()
        let dusts = Log(both.observe(ignoreFirst: true) { _ in })
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            left.value = 1
            left.value = 2
          }
        }
        scenario.thread {
          right.value = 1
          dusts.append(outer.observe { log.append([$0.0, $0.1.0, $0.1.1]) })
        }
        scenario.check {
          #expect(log.last == [1, 2, 1])
          #expect(log.entries.allSatisfy { $0[0] == $0[2] })
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func mapOfACombinedConstantObservedInATransactionEndsWithTheLastValue() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(Variable(0)))
        let sum = Constant.combine(both, Constant(right)).map { $0.0.0 * 10 + $0.1 }
        let log = Log<Int>()
        let dusts = Log(both.observe(ignoreFirst: true) { _ in })
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            left.value = 1
            dusts.append(sum.observe { log.append($0) })
            left.value = 2
          }
        }
        scenario.thread { right.value = 1 }
        scenario.check {
          #expect(log.last == 21)
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func combinedConstantObservedInATransactionEndsWithTheWholeTransaction() {
      explore { scenario in
        let (left, right, other) = (Variable(0), Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let outer = Constant.combine(both, Constant(other))
        let log = Log<[Int]>()
        let dusts = Log(both.observe(ignoreFirst: true) { _ in })
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            left.value = 1
            dusts.append(outer.observe { log.append([$0.0.0, $0.0.1, $0.1]) })
            other.value = 1
            right.value = 1
          }
        }
        scenario.thread { other.value = 5 }
        scenario.check {
          #expect(log.last == [1, 1, other.value])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func combinedConstantFirstObservedDuringATransactionEndsWithTheWholeTransaction() {
      explore { scenario in exploreObserverDuringATransaction(scenario, wasObserved: false) }
    }

    @Test func combinedConstantObservedAgainDuringATransactionEndsWithTheWholeTransaction() {
      explore { scenario in exploreObserverDuringATransaction(scenario, wasObserved: true) }
    }

    private func exploreObserverDuringATransaction(_ scenario: Scenario, wasObserved: Bool) {
      let (left, right, other) = (Variable(0), Variable(0), Variable(0))
      let all = Constant.combine(Constant(left), Constant(right), Constant(other))
      let (log, dusts) = (Log<[Int]>(), Log<Dust>())
      if wasObserved { all.observe { _ in }.clean() }
      let dispatcher = Dispatcher()
      scenario.thread {
        dispatcher.transaction {
          left.value = 1
          right.value = 1
        }
      }
      scenario.thread {
        dusts.append(all.observe(ignoreFirst: true) { log.append([$0.0, $0.1, $0.2]) })
        other.value = 5
      }
      scenario.check {
        #expect(log.last == [1, 1, 5])
        withExtendedLifetime(dusts) {}
      }
    }

    @Test func observerThatIgnoresTheFirstValueReceivesAnUnchangedValueAtMostOnce() {
      explore { scenario in
        let number = Variable(0)
        let rest = number.map { $0 % 3 }
        let distinct = rest.removeDuplicates()
        let log = Log<Int>()
        let dusts = Log(rest.observe(ignoreFirst: true) { _ in })
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            number.value = 2
            dusts.append(distinct.observe { _ in })
            dusts.append(distinct.observe(ignoreFirst: true) { log.append($0) })
          }
          number.value = 5
          number.value = 8
        }
        scenario.thread { _ = distinct.value }
        scenario.check {
          #expect([[], [2]].contains(log.entries))
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerThatJoinsInATransactionReceivesTheSameValuesAsTheOthers() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.removeDuplicates()
        let (log, others) = (Log<Int>(), Log<Int>())
        let dusts = Log(distinct.observe(ignoreFirst: true) { others.append($0) })
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            number.value = 1
            dusts.append(distinct.observe { log.append($0) })
            number.value = 1
          }
        }
        scenario.thread { _ = distinct.value }
        scenario.check {
          #expect(log.entries == [0, 1])
          #expect(others.entries == [1])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// For earlier observers, the transaction changes nothing. A subscriber whose first value is 1 must
    /// receive 0 afterward.
    @Test func observerThatSubscribesDuringATransactionThatRestoresAValueEndsWithThatValue() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.removeDuplicates()
        let (log, others) = (Log<Int>(), Log<Int>())
        let dusts = Log(distinct.observe(ignoreFirst: true) { others.append($0) })
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            number.value = 1
            number.value = 0
          }
        }
        scenario.thread { dusts.append(distinct.observe { log.append($0) }) }
        scenario.check {
          #expect([[0], [0, 0], [1, 0]].contains(log.entries))
          #expect(others.entries == [])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerThatSubscribesDuringAPendingChangeStillReceivesALaterChange() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = Constant.combine(Constant(number), Constant(Variable(0))).map { $0.0 * 10 }
        let log = Log<Int>()
        let dusts = Log(number.observe { _ in })
        scenario.thread { number.value = 1 }
        scenario.thread {
          number.value = 2
          dusts.append(tenfold.observe { log.append($0) })
          number.value = 3
        }
        scenario.check {
          let isLast = number.value == 3
          #expect(
            (isLast ? [[20, 30], [10, 30], [20, 10, 30]] : [[20, 30, 10]]).contains(log.entries)
          )
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func twoObserversThatSubscribeToAMapConcurrentlyBothReceiveALaterChange() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (log, other) = (Log<Int>(), Log<Int>())
        let dusts = Log<Dust>()
        scenario.thread {
          dusts.append(tenfold.observe { log.append($0) })
          number.value = 1
        }
        scenario.thread { dusts.append(tenfold.observe { other.append($0) }) }
        scenario.check {
          #expect(log.entries == [0, 10])
          #expect([[0, 10], [10]].contains(other.entries))
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// The first value and the pending value are equal, so the observer receives at most one extra call.
    @Test func observerThatSubscribesToAMapDuringEqualWritesIsCalledAtMostTwice() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.map { $0 / 10 }.removeDuplicates()
        let log = Log<Int>()
        let dusts = Log(distinct.observe { _ in })
        scenario.thread {
          number.value = 1
          number.value = 2
        }
        scenario.thread { dusts.append(distinct.map { $0 + 1 }.observe { log.append($0) }) }
        scenario.check {
          number.value = 3
          #expect([[1], [1, 1]].contains(log.entries))
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerThatSubscribesToRemoveDuplicatesDuringEqualWritesIsCalledAtMostTwice() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.removeDuplicates()
        let (log, others) = (Log<Int>(), Log<Int>())
        let dusts = Log(distinct.observe(ignoreFirst: true) { others.append($0) })
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            number.value = 0
            number.value = 0
          }
        }
        scenario.thread { dusts.append(distinct.observe { log.append($0) }) }
        scenario.check {
          #expect([[0], [0, 0]].contains(log.entries))
          #expect(others.entries == [])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// An observer that subscribes during the transaction can receive the last value twice.
    @Test func observerOfRemoveDuplicatesThatSubscribesDuringATransactionEndsWithItsLastValue() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.removeDuplicates()
        let (log, others) = (Log<Int>(), Log<Int>())
        let dusts = Log(distinct.observe(ignoreFirst: true) { others.append($0) })
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            number.value = 1
            number.value = 2
          }
        }
        scenario.thread { dusts.append(distinct.observe { log.append($0) }) }
        scenario.check {
          #expect([[0, 2], [1, 2], [2], [2, 2]].contains(log.entries))
          #expect(others.entries == [2])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// The transaction writes 2 and then restores the pending value 1. For an observer that has received 2,
    /// the value 1 is a change.
    @Test func newObserverOfRemoveDuplicatesEndsWithAPendingValueThatATransactionRestores() {
      explore { scenario in
        let (number, trigger) = (Variable(0), Variable(0))
        let distinct = number.removeDuplicates()
        let (log, others) = (Log<Int>(), Log<Int>())
        let dispatcher = Dispatcher()
        let dusts = Log(
          distinct.observe(ignoreFirst: true) { others.append($0) },
          trigger.observe(ignoreFirst: true) { [weak number] _ in
            // The library delivers both changes after this observer has returned.
            number?.value = 1
            dispatcher.transaction {
              number?.value = 2
              number?.value = 1
            }
          }
        )
        scenario.thread { trigger.value = 1 }
        scenario.thread { dusts.append(distinct.observe { log.append($0) }) }
        scenario.check {
          #expect([[0, 1], [1], [1, 1], [2, 1]].contains(log.entries))
          #expect(others.entries == [1])
          withExtendedLifetime((number, dusts)) {}
        }
      }
    }
  }

  extension [[Int]] {
    /// Returns whether this array ends with all elements of a nonempty array.
    fileprivate func hasSuffix(_ others: [[Int]]) -> Bool {
      !others.isEmpty && suffix(others.count).elementsEqual(others)
    }
  }
#endif
