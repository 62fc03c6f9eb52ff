#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1, V1 and V2: the thread that delivers a variable also delivers the variable's maps. Each map
  /// delivers every change once and in order.
  struct MapInterleavings {
    @Test func observerThatSubscribesToAMapDuringAWriteReceivesTheWrittenValueOnce() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (log, others) = (Log<Int>(), Log<Int>())
        let dusts = Log(tenfold.observe(ignoreFirst: true) { others.append($0) })
        scenario.thread { number.value = 1 }
        scenario.thread { dusts.append(tenfold.observe { log.append($0) }) }
        scenario.check {
          #expect([[0, 10], [10]].contains(log.entries))
          #expect(others.entries == [10])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerThatSubscribesToAMapDuringWritesReceivesChangesInTheVariablesOrder() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (plain, mapped) = (Log<Int>(), Log<Int>())
        let dusts = Log(number.observe { plain.append($0 * 10) })
        scenario.thread { number.value = 1 }
        scenario.thread { dusts.append(tenfold.observe { mapped.append($0) }) }
        scenario.thread { number.value = 2 }
        scenario.check {
          let entries = mapped.entries
          #expect(!entries.isEmpty)
          #expect(plain.entries.suffix(entries.count).elementsEqual(entries))
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func mapDeliversTheWritesOfTwoThreadsInTheSameOrderAsItsVariable() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (plain, mapped) = (Log<Int>(), Log<Int>())
        let dusts = [
          number.observe(ignoreFirst: true) { plain.append($0 * 10) },
          tenfold.observe(ignoreFirst: true) { mapped.append($0) },
        ]
        scenario.thread { number.value = 1 }
        scenario.thread { number.value = 2 }
        scenario.check {
          #expect(mapped.entries == plain.entries)
          #expect(mapped.last == tenfold.value)
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// A map that becomes active while a thread is delivering the change starts with the written value.
    @Test func mapOfAMapObservedDuringAWriteDeliversTheWrittenValueOnce() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (log, others) = (Log<Int>(), Log<Int>())
        let dusts = Log(tenfold.observe(ignoreFirst: true) { others.append($0) })
        scenario.thread { number.value = 1 }
        scenario.thread { dusts.append(tenfold.map { $0 + 1 }.observe { log.append($0) }) }
        scenario.check {
          #expect([[1, 11], [11]].contains(log.entries))
          #expect(others.entries == [10])
          number.value = 2
          #expect(log.last == 21)
          #expect(others.last == 20)
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// Before the threads start, only `once` has an observer. `twice` becomes active with the combined
    /// constant.
    @Test func observerThatSubscribesToADiamondDuringWritesReceivesNoMixOfOldAndNewValues() {
      explore { scenario in
        let number = Variable(0)
        let (once, twice) = (number.map { $0 }, number.map { $0 * 2 })
        let both = Constant.combine(once, twice)
        let (log, dusts) = (Log<[Int]>(), Log(once.observe { _ in }))
        scenario.thread {
          number.value = 1
          number.value = 2
        }
        scenario.thread { dusts.append(both.observe { log.append([$0.0, $0.1]) }) }
        scenario.check {
          let whole = [[0, 0], [1, 2], [2, 4]]
          #expect(whole.suffix(log.entries.count).elementsEqual(log.entries))
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// An observer that starts with an uncommitted value during the transaction also receives the last
    /// value.
    @Test func observerThatSubscribesToAMapDuringATransactionEndsWithItsLastValue() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (log, others) = (Log<Int>(), Log<Int>())
        let dusts = Log(tenfold.observe(ignoreFirst: true) { others.append($0) })
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            number.value = 1
            number.value = 2
          }
        }
        scenario.thread { dusts.append(tenfold.observe { log.append($0) }) }
        scenario.check {
          #expect([[0, 20], [10, 20], [20]].contains(log.entries))
          #expect(others.entries == [20])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerOfAMapIsNotCalledAfterCleanReturnsDuringAWrite() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let log = Log<Int>()
        let dust = tenfold.observe(ignoreFirst: true) { log.append($0) }
        scenario.thread { number.value = 1 }
        scenario.thread {
          dust.clean()
          log.append(-1)
        }
        scenario.check {
          #expect([[-1], [10, -1]].contains(log.entries))
          number.value = 2
          #expect(log.last == -1)
          #expect(tenfold.value == 20)
        }
      }
    }

    /// A variable and its maps are delivered together, even during concurrent reads. Constants that combine
    /// several variables are delivered after all variables that the transaction has written.
    @Test func transactionDeliversVariablesAndTheirMapsBeforeCombinedConstants() {
      explore { scenario in
        let (first, second) = (Variable(0), Variable(0))
        let (mapped, both) = (
          first.map { $0 }, Constant.combine(Constant(first), Constant(Variable(0)))
        )
        let log = Log<String>()
        let dusts = [
          first.observe(ignoreFirst: true) { _ in log.append("first") },
          second.observe(ignoreFirst: true) { _ in log.append("second") },
          both.observe(ignoreFirst: true) { log.append("both \($0.0)") },
          mapped.observe(ignoreFirst: true) { log.append("mapped \($0)") },
        ]
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction { (first.value, second.value) = (1, 1) }
        }
        scenario.thread { #expect([0, 1].contains(both.value.0)) }
        scenario.check {
          #expect(log.entries == ["first", "mapped 1", "second", "both 1"])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func combinedConstantIsDeliveredAfterTheVariableThatAnObserverHasWritten() {
      explore { scenario in
        let (trigger, number) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(number), Constant(Variable(0)))
        let log = Log<String>()
        let dusts = [
          trigger.observe(ignoreFirst: true) { number.value = $0 },
          both.observe(ignoreFirst: true) { _ in log.append("both") },
          number.observe(ignoreFirst: true) { _ in log.append("number") },
        ]
        scenario.thread { trigger.value = 1 }
        scenario.thread { _ = both.value }
        scenario.check {
          #expect(log.entries == ["number", "both"])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// The transform writes a variable while the combined constant computes its first value.
    @Test func writeInAMapsTransformIsDeliveredAfterTheFirstValueOfACombinedConstant() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let isWritten = Flag()
        let tenfold = left.map { value in
          if !isWritten.isSet {
            isWritten.set()
            right.value = 1
          }
          return value * 10
        }
        let both = Constant.combine(tenfold, Constant(right))
        let (log, dusts) = (Log<[Int]>(), Log<Dust>())
        scenario.thread { dusts.append(both.observe { log.append([$0.0, $0.1]) }) }
        scenario.thread { _ = right.value }
        scenario.check {
          #expect(log.entries == [[0, 0], [0, 1]])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// An observer of `first` writes `second` before the combined constant delivers the first change.
    @Test func observerThatSubscribesToACombineDuringChangesReceivesEachPendingChangeOnce() {
      explore { scenario in
        let (first, second) = (Variable(0), Variable(0))
        let both = Constant.combine(Constant(first), Constant(second))
        let (log, others) = (Log<[Int]>(), Log<[Int]>())
        let dusts = Log(both.observe(ignoreFirst: true) { others.append([$0.0, $0.1]) })
        dusts.append(first.observe(ignoreFirst: true) { second.value = $0 })
        scenario.thread { first.value = 1 }
        scenario.thread { dusts.append(both.observe { log.append([$0.0, $0.1]) }) }
        scenario.check {
          let whole = [[0, 0], [1, 0], [1, 1]]
          #expect(others.entries == Array(whole.dropFirst()))
          #expect(whole.suffix(log.entries.count).elementsEqual(log.entries))
          #expect(!log.entries.isEmpty)
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// A reader on a second thread can store a value that was computed before the write.
    @Test func readOfAMapNeverReturnsAnOlderValueThanThePreviousRead() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let log = Log<Int>()
        scenario.thread {
          number.value = 1
          log.append(tenfold.value)
          log.append(tenfold.value)
        }
        scenario.thread { _ = tenfold.value }
        scenario.check { #expect(log.entries == [10, 10]) }
      }
    }

    /// An observer that subscribes during the transaction can start with 10, and then receives 0. For
    /// earlier observers, 0 is not a change.
    @Test func lastCallOfAnObserverHasTheOldValueIfATransactionWritesItBack() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.map { $0 * 10 }.removeDuplicates()
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
          #expect([[0], [0, 0], [10, 0]].contains(log.entries))
          #expect(others.entries == [])
          withExtendedLifetime(dusts) {}
        }
      }
    }
  }
#endif
