#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: a derived constant delivers every change while it has observers, even if some observers are
  /// cleaned during changes.
  struct DerivedCleaningInterleavings {
    @Test func observerThatSubscribesToAMapWhileAnotherMapLosesItsObserverMissesNoChange() {
      explore { scenario in
        let number = Variable(0)
        let (first, second, third) = (number.map(\.self), number.map(\.self), number.map(\.self))
        let log = Log<Int>()
        let dusts = Log(first.observe { _ in })
        let left = second.observe { _ in }
        scenario.thread { left.clean() }
        scenario.thread { dusts.append(third.observe(ignoreFirst: true) { log.append($0) }) }
        scenario.check {
          number.value = 1
          #expect(log.entries == [1])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerThatSubscribesWhileAMapsLastObserverIsCleanedMissesNoChange() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let log = Log<Int>()
        let former = tenfold.observe { _ in }
        let dusts = Log<Dust>()
        scenario.thread { former.clean() }
        scenario.thread {
          dusts.append(tenfold.observe { log.append($0) })
          number.value = 1
        }
        scenario.check {
          number.value = 2
          #expect(log.entries == [0, 10, 20])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerThatReplacesAMapsLastObserverDuringAChangeMissesNoChange() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let log = Log<Int>()
        let former = tenfold.observe { _ in }
        let dusts = Log<Dust>()
        scenario.thread { number.value = 1 }
        scenario.thread {
          former.clean()
          dusts.append(tenfold.observe { log.append($0) })
        }
        scenario.check {
          number.value = 2
          #expect([[0, 10, 20], [10, 20]].contains(log.entries))
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// During a delivery, the list of constants to compute still contains a constant that has lost its
    /// observer.
    @Test func derivedConstantObservedAgainDuringAChangeDeliversTheNextChangeOnce() {
      explore { scenario in
        let number = Variable(0)
        let next = number.map { $0 * 10 }.map { $0 + 1 }
        let log = Log<Int>()
        let former = next.observe(ignoreFirst: true) { _ in }
        let dusts = Log<Dust>()
        scenario.thread { number.value = 1 }
        scenario.thread {
          former.clean()
          dusts.append(next.observe(ignoreFirst: true) { log.append($0) })
          number.value = 2
        }
        scenario.check {
          let isLast = number.value == 2
          #expect((isLast ? [[21], [11, 21]] : [[21, 11]]).contains(log.entries))
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func observerThatSubscribesWhileAMapOfTheSameSourceLosesItsObserverMissesNoChange() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (next, afterNext) = (tenfold.map { $0 + 1 }, tenfold.map { $0 + 2 })
        let log = Log<Int>()
        let former = next.observe { _ in }
        let dusts = Log<Dust>()
        scenario.thread { former.clean() }
        scenario.thread { dusts.append(afterNext.observe { log.append($0) }) }
        scenario.check {
          number.value = 1
          #expect(log.entries == [2, 12])
          #expect(next.value == 11)
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func derivedConstantIsNotComputedAfterItsLastObserverIsCleaned() {
      explore { scenario in
        let number = Variable(0)
        let computed = Log<Int>()
        let tenfold = number.map {
          computed.append($0)
          return $0 * 10
        }
        let dusts = [tenfold.observe { _ in }, tenfold.map { $0 + 1 }.observe { _ in }]
        scenario.thread {
          number.value = 1
          dusts[0].clean()
        }
        scenario.thread { dusts[1].clean() }
        scenario.check {
          #expect(computed.entries == [0, 1])
          number.value = 2
          #expect(computed.entries == [0, 1])
          #expect(tenfold.value == 20)
        }
      }
    }

    @Test func mapIsNotComputedAfterItsObserverIsCleanedBesideAnObservedMap() {
      explore { scenario in
        let number = Variable(0)
        let computed = Log<Int>()
        let counted = number.map { value in
          computed.append(value)
          return value
        }
        let kept = number.map { $0 }.observe { _ in }
        let cleaned = counted.observe { _ in }
        scenario.thread {
          number.value = 1
          cleaned.clean()
          number.value = 2
        }
        scenario.thread { _ = number.value }
        scenario.check {
          #expect(computed.entries == [0, 1])
          withExtendedLifetime((kept, counted)) {}
        }
      }
    }

    @Test func derivedConstantIsNotComputedAfterAMutationCleansItsLastObserver() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let computed = Log<Int>()
        let sum = Constant.combine(Constant(left), Constant(right)).map {
          computed.append($0.0 + $0.1)
          return $0.0 + $0.1
        }
        let dust = sum.observe(ignoreFirst: true) { _ in }
        scenario.thread {
          left.modify {
            $0 = 1
            dust.clean()
          }
        }
        scenario.thread { right.modify { $0 = left.value + 1 } }
        scenario.check {
          let count = computed.entries.count
          left.value = 2
          #expect(computed.entries.count == count)
          #expect(sum.value == 2 + right.value)
        }
      }
    }

    /// If the delivering thread has removed an observation, the cleaning thread must not remove the
    /// observation again.
    @Test func observerOfAMapReceivesEveryChangeWhileTwoOtherObserversAreCleaned() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let next = tenfold.map { $0 + 1 }
        let (log, own, dusts) = (Log<Int>(), Log<Dust>(), Log<Dust>())
        dusts.append(next.observe(ignoreFirst: true) { _ in })
        own.append(
          tenfold.observe(ignoreFirst: true) { _ in for dust in own.entries { dust.clean() } }
        )
        let rest = tenfold.observe(ignoreFirst: true) { log.append($0) }
        scenario.thread { number.value = 1 }
        scenario.thread { for dust in dusts.entries { dust.clean() } }
        scenario.check {
          number.value = 2
          #expect(log.entries == [10, 20])
          own.removeAll()
          withExtendedLifetime((rest, next)) {}
        }
      }
    }

    /// In some schedules, the observer is replaced before the delivering thread passes its value to the
    /// combined constant.
    @Test func combinedConstantObservedAgainDuringAChangeDeliversLaterChanges() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let both = Constant.combine(tenfold, Constant(Variable(0)))
        let log = Log<Int>()
        let former = both.observe(ignoreFirst: true) { _ in }
        let dusts = Log<Dust>()
        scenario.thread { number.value = 1 }
        scenario.thread {
          former.clean()
          dusts.append(both.observe { log.append($0.0) })
          number.value = 2
          number.value = 3
        }
        scenario.check {
          #expect(log.last == number.value * 10)
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// In some schedules, `distinct` loses its former observer and receives a new one while the other thread
    /// delivers the earlier change.
    @Test func observerThatReplacesAnotherObserverDuringAChangeEndsWithTheVariablesValue() {
      explore { scenario in
        let number = Variable(0)
        let both = Constant.combine(Constant(number), Constant(Variable(0)))
        let distinct = both.map { $0.0 }.removeDuplicates()
        let log = Log<Int>()
        let former = Constant.combine(distinct, Constant(Variable(0)))
          .observe(ignoreFirst: true) { _ in }
        let dusts = Log<Dust>()
        scenario.thread { number.value = 1 }
        scenario.thread {
          number.value = 2
          former.clean()
          dusts.append(distinct.observe { log.append($0) })
        }
        scenario.check {
          #expect(log.last == number.value)
          withExtendedLifetime(dusts) {}
        }
      }
    }

    /// In some schedules, `distinct` and `both` lose all their observers before the delivering thread has
    /// computed the earlier change.
    @Test func removeDuplicatesObservedAgainDuringAChangeDeliversTheNextDifferentValue() {
      explore { scenario in
        let number = Variable(0)
        let both = Constant.combine(Constant(number), Constant(Variable(0)))
        let distinct = both.map { $0.0 }.removeDuplicates()
        let log = Log<Int>()
        let former = Constant.combine(distinct, Constant(Variable(0)))
          .observe(ignoreFirst: true) { _ in }
        let dusts = Log<Dust>()
        scenario.thread { number.value = 1 }
        scenario.thread {
          number.value = 2
          former.clean()
          dusts.append(distinct.observe { log.append($0) })
        }
        scenario.check {
          number.value = 3 - number.value
          #expect(log.last == number.value)
          withExtendedLifetime(dusts) {}
        }
      }
    }
  }
#endif
