#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: an observer that subscribes to a derived constant during changes receives one value first. The
  /// observer never receives half of a later transaction.
  struct DerivedObservingInterleavings {
    @Test func observerThatSubscribesToACombineDuringWritesReceivesEachLaterChange() {
      explore { scenario in
        let (left, right, log) = (Variable(0), Variable(0), Log<[Int]>())
        let both = Constant.combine(left, right)
        scenario.thread {
          left.value = 1
          right.value = 1
        }
        scenario.thread { both.observe(in: log) { [$0.0, $0.1] } }
        scenario.check {
          let values = [[0, 0], [1, 0], [1, 1]]
          #expect((0...2).map { Array(values[$0...]) }.contains(log.entries))
        }
      }
    }

    /// A transaction that is delivered before a concurrent write doesn't contain the written value.
    @Test func lastCallOfAnObserverThatSubscribesDuringAConcurrentTransactionContainsAllWrites() {
      explore { scenario in
        let (first, second, third) = (Variable(0), Variable(0), Variable(0))
        let all = Constant.combine(first, second, third)
        let (log, others) = (Log<[Int]>(), all.logChanges { [$0.0, $0.1, $0.2] })
        scenario.transaction {
          first.value = 1
          third.value = 1
        }
        scenario.thread {
          second.value = 1
          all.observe(in: log) { [$0.0, $0.1, $0.2] }
        }
        scenario.check {
          #expect([[[1, 0, 1], [1, 1, 1]], [[0, 1, 0], [1, 1, 1]]].contains(others.entries))
          #expect(log.last == [1, 1, 1])
        }
      }
    }

    /// The new outer constant also receives a change that a thread is still delivering to the inner
    /// constant.
    @Test func combinedConstantObservedDuringChangesToItsSourceEndsWithTheLastValues() {
      explore { scenario in
        let (left, right, log) = (Variable(0), Variable(0), Log<[Int]>())
        let both = Constant.combine(left, right)
        let outer = Constant.combine(right, both)
        _ = both.observe(ignoreFirst: true) { _ in }
        scenario.transaction { for value in 1...2 { left.value = value } }
        scenario.thread {
          right.value = 1
          outer.observe(in: log) { [$0.0, $0.1.0, $0.1.1] }
        }
        scenario.check {
          #expect(log.last == [1, 2, 1])
          #expect(log.entries.allSatisfy { $0[0] == $0[2] })
        }
      }
    }

    @Test func combinedConstantObservedInATransactionEndsWithTheWholeTransaction() {
      explore { scenario in
        let (left, right, other) = (Variable(0), Variable(0), Variable(0))
        let both = Constant.combine(left, right)
        let (outer, log) = (Constant.combine(both, other), Log<[Int]>())
        _ = both.observe(ignoreFirst: true) { _ in }
        scenario.transaction {
          left.value = 1
          outer.observe(in: log) { [$0.0.0, $0.0.1, $0.1] }
          other.value = 1
          right.value = 1
        }
        scenario.thread { other.value = 5 }
        scenario.check { #expect(log.last == [1, 1, other.value]) }
      }
    }

    @Test func combinedConstantObservedDuringATransactionEndsWithTheWholeTransaction() {
      for wasObserved in [false, true] {
        explore { scenario in
          let (left, right, other) = (Variable(0), Variable(0), Variable(0))
          let (all, log) = (Constant.combine(left, right, other), Log<[Int]>())
          if wasObserved { all.observe { _ in }.clean() }
          scenario.transaction {
            left.value = 1
            right.value = 1
          }
          scenario.thread {
            all.observe(in: log) { [$0.0, $0.1, $0.2] }
            other.value = 5
          }
          scenario.check { #expect(log.last == [1, 1, 5]) }
        }
      }
    }

    @Test func observerThatIgnoresTheFirstValueReceivesAnUnchangedValueAtMostOnce() {
      explore { scenario in
        let (number, log) = (Variable(0), Log<Int>())
        let rest = number.map { $0 % 3 }
        let distinct = rest.removeDuplicates()
        _ = rest.observe(ignoreFirst: true) { _ in }
        scenario.thread {
          Dispatcher.shared.transaction {
            number.value = 2
            _ = distinct.observe { _ in }
            _ = distinct.observe(ignoreFirst: true) { log.append($0) }
          }
          number.value = 5
          number.value = 8
        }
        scenario.thread { _ = distinct.value }
        scenario.check { #expect([[], [2]].contains(log.entries)) }
      }
    }

    @Test func twoObserversThatSubscribeToAMapConcurrentlyBothReceiveALaterChange() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (log, other) = (Log<Int>(), Log<Int>())
        scenario.thread {
          tenfold.observe(in: log)
          number.value = 1
        }
        scenario.thread { tenfold.observe(in: other) }
        scenario.check {
          #expect(log.entries == [0, 10])
          #expect([[0, 10], [10]].contains(other.entries))
        }
      }
    }
  }
#endif
