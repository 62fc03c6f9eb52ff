#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: an observer's first value can be a value that earlier observers never receive. A new
  /// observer with such a first value is called again with the constant's final value.
  struct DerivedFirstValueInterleavings {
    @Test func observerOfRemoveDuplicatesIsNotCalledAgainWhenAnEqualValueIsWritten() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.removeDuplicates()
        let log = Log<Int>()
        let dusts = Log(distinct.observe { _ in })
        scenario.thread {
          number.value = 0
          dusts.append(distinct.observe { log.append($0) })
          number.value = 0
        }
        scenario.thread { _ = distinct.value }
        scenario.check {
          #expect(log.entries == [0])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerThatJoinsDuringATransactionStartsWithTheLastDeliveredValue() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.removeDuplicates()
        let (first, second) = (Log<Int>(), Log<Int>())
        let dusts = Log(distinct.observe(ignoreFirst: true) { _ in })
        scenario.thread {
          for log in [first, second] {
            Dispatcher.shared.transaction {
              number.value = 1
              dusts.append(distinct.observe { log.append($0) })
              number.value = 0
            }
          }
        }
        scenario.thread { _ = distinct.value }
        scenario.check {
          #expect(first.entries == [0])
          #expect(second.entries == [0])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// The second observer joins while a change is pending. In some schedules, the map has an observer then,
    /// but has delivered no value yet.
    @Test func observerThatJoinsBeforeAMapsFirstDeliveryReceivesNoChangeTwice() {
      explore { scenario in
        let (number, trigger) = (Variable(0), Variable(0))
        let tenfold = number.map { $0 * 10 }
        let (log, dusts) = (Log<Int>(), Log<Dust>())
        let dust = trigger.observe(ignoreFirst: true) { _ in
          // The library delivers the change after this observer has returned.
          number.value = 1
          dusts.append(tenfold.observe { log.append($0) })
        }
        scenario.thread { dusts.append(tenfold.observe { _ in }) }
        scenario.thread { trigger.value = 1 }
        scenario.check {
          #expect([[0, 10], [10]].contains(log.entries))
          withExtendedLifetime((dust, dusts)) {}
        }
      }
    }

    /// The combined constant starts with 5. The earlier observer of `distinct` never receives 5.
    @Test func combinedConstantObservedInATransactionEndsWithTheCommittedValues() {
      explore { scenario in
        let (number, other) = (Variable(0), Variable(0))
        let distinct = number.removeDuplicates()
        let log = Log<[Int]>()
        let dusts = Log(distinct.observe(ignoreFirst: true) { _ in })
        scenario.thread {
          Dispatcher.shared.transaction {
            number.value = 5
            dusts.append(
              Constant.combine(distinct, Constant(other)).observe { log.append([$0.0, $0.1]) }
            )
            number.value = 0
          }
        }
        scenario.thread { other.value = 1 }
        scenario.check {
          #expect(log.entries.first?[0] == 5)
          #expect(log.last == [0, 1])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// The inner constant delivers changes from before its first value as one change, which the outer
    /// constant must not receive.
    @Test func combineOfACombinedConstantObservedInATransactionEndsWithTheLastValues() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let log = Log<[Int]>()
        let dusts = Log(left.observe { _ in })
        scenario.thread {
          Dispatcher.shared.transaction {
            left.value = 1
            dusts.append(both.observe(ignoreFirst: true) { _ in })
            dusts.append(
              Constant.combine(both, Constant(Variable(0))).observe(ignoreFirst: true) {
                log.append([$0.0.0, $0.0.1])
              }
            )
          }
        }
        for number in 1...2 {
          scenario.thread { right.value = number }
        }
        scenario.check {
          #expect(log.last == [1, right.value])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerThatSubscribesDuringTwoPendingChangesEndsWithTheLastValue() {
      explore { scenario in
        let (number, trigger) = (Variable(0), Variable(0))
        let distinct = number.removeDuplicates()
        let log = Log<Int>()
        let dusts = Log(distinct.observe { _ in })
        let dust = trigger.observe(ignoreFirst: true) { _ in
          // The library delivers both changes after this observer has returned.
          number.value = 1
          number.value = 2
          dusts.append(distinct.observe { log.append($0) })
        }
        scenario.thread { trigger.value = 1 }
        scenario.thread { _ = distinct.value }
        scenario.check {
          #expect(log.last == 2)
          withExtendedLifetime((dust, dusts)) {}
        }
      }
    }

    /// The first observer has received 10, so the write of 11 is not a change for that observer.
    @Test func observersThatSubscribeDuringPendingChangesEndWithTheSameValue() {
      explore { scenario in
        let (number, trigger) = (Variable(0), Variable(0))
        let tens = number.removeDuplicates { $0 / 10 == $1 / 10 }
        let (first, second) = (Log<Int>(), Log<Int>())
        let dusts = Log(number.observe { _ in })
        let dispatcher = Dispatcher()
        let dust = trigger.observe(ignoreFirst: true) { _ in
          // The library delivers both changes after this observer has returned.
          dispatcher.transaction {
            number.value = 1
            dusts.append(tens.observe { first.append($0) })
            number.value = 10
          }
          number.value = 11
          dusts.append(tens.observe { second.append($0) })
        }
        scenario.thread { trigger.value = 1 }
        scenario.thread { _ = tens.value }
        scenario.check {
          #expect(first.last == second.last)
          withExtendedLifetime((dust, dusts)) {}
        }
      }
    }

    @Test func observerThatSubscribesInATransactionReceivesItsLastValueThroughACombine() {
      explore { scenario in
        let number = Variable(0)
        let both = Constant.combine(Constant(number), Constant(Variable(0)))
        let distinct = both.map { $0.0 }.removeDuplicates()
        let log = Log<Int>()
        let dusts = Log(number.observe { _ in })
        scenario.thread {
          Dispatcher.shared.transaction {
            number.value = 1
            dusts.append(distinct.observe { log.append($0) })
            number.value = 2
          }
        }
        scenario.thread { _ = distinct.value }
        scenario.check {
          #expect(log.entries == [1, 2])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerThatJoinsInATransactionReceivesTheSameLaterValuesAsTheOthers() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(left), Constant(right))
        let distinct = both.map { $0.0 * 10 + $0.1 }.removeDuplicates()
        let (log, others) = (Log<Int>(), Log<Int>())
        let dusts = Log(distinct.observe { others.append($0) })
        scenario.thread {
          Dispatcher.shared.transaction {
            left.value = 1
            dusts.append(distinct.observe { log.append($0) })
          }
        }
        scenario.thread { right.value = 1 }
        scenario.check {
          #expect(log.entries == others.entries.suffix(log.entries.count))
          #expect(log.last == 11)
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// The source of the combined constant has started with the value that the transaction commits.
    @Test func combinedConstantObservedInATransactionDeliversLaterWritesOfTheTransaction() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let doubled = left.map { $0 * 2 }
        let log = Log<[Int]>()
        let dusts = Log(doubled.observe { _ in })
        scenario.thread {
          Dispatcher.shared.transaction {
            left.value = 1
            dusts.append(
              Constant.combine(doubled, Constant(right)).observe { log.append([$0.0, $0.1]) }
            )
            right.value = 2
          }
        }
        scenario.thread { right.value = 3 }
        scenario.check {
          #expect(log.last == [2, right.value])
          withExtendedLifetime(dusts) {}
        }
      }
    }
  }
#endif
