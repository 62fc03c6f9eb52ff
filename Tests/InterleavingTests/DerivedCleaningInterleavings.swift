#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: a derived constant delivers every change while it has observers, even if some observers are
  /// cleaned during changes.
  struct DerivedCleaningInterleavings {
    @Test func observerThatReplacesAMapsLastObserverDuringAChangeMissesNoChange() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let log = Log<Int>()
        let former = tenfold.observe { _ in }
        scenario.thread { number.value = 1 }
        scenario.thread {
          former.clean()
          tenfold.observe(in: log)
        }
        scenario.check {
          number.value = 2
          #expect([[0, 10, 20], [10, 20]].contains(log.entries))
        }
      }
    }

    @Test func derivedConstantIsNotComputedAfterItsLastObserverIsCleaned() {
      explore { scenario in
        let (number, computed) = (Variable(0), Log<Int>())
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
        let (number, computed) = (Variable(0), Log<Int>())
        let counted = number.map { value in
          computed.append(value)
          return value
        }
        _ = number.map { $0 }.observe { _ in }
        let cleaned = counted.observe { _ in }
        scenario.thread {
          number.value = 1
          cleaned.clean()
          number.value = 2
        }
        scenario.thread { _ = number.value }
        scenario.keep(counted)
        scenario.check { #expect(computed.entries == [0, 1]) }
      }
    }

    @Test func derivedConstantIsNotComputedAfterAMutationCleansItsLastObserver() {
      explore { scenario in
        let (left, right, computed) = (Variable(0), Variable(0), Log<Int>())
        let sum = Constant.combine(left, right).map {
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

    /// In some schedules, the observer is replaced before the delivering thread passes its value to the
    /// combined constant.
    @Test func combinedConstantObservedAgainDuringAChangeDeliversLaterChanges() {
      explore { scenario in
        let (number, log) = (Variable(0), Log<Int>())
        let both = Constant.combine(number.map { $0 * 10 }, Variable(0))
        let former = both.observe(ignoreFirst: true) { _ in }
        scenario.thread { number.value = 1 }
        scenario.thread {
          former.clean()
          both.observe(in: log) { $0.0 }
          for value in 2...3 { number.value = value }
        }
        scenario.check { #expect(log.last == number.value * 10) }
      }
    }

    /// In some schedules, `distinct` and `both` lose all their observers before the delivering thread has
    /// computed the earlier change.
    @Test func removeDuplicatesObservedAgainDuringAChangeDeliversTheNextDifferentValue() {
      exploreReplacement { number, log in
        number.value = 3 - number.value
        #expect(log.last == number.value)
      }
    }

    private func exploreReplacement(
      _ name: String = #function,
      sourceLocation: SourceLocation = #_sourceLocation,
      check: @escaping (Variable<Int>, Log<Int>) -> Void
    ) {
      explore(name, sourceLocation: sourceLocation) { scenario in
        let (number, log) = (Variable(0), Log<Int>())
        let both = Constant.combine(number, Variable(0))
        let distinct = both.map { $0.0 }.removeDuplicates()
        let former = Constant.combine(distinct, Variable(0)).observe(ignoreFirst: true) { _ in }
        scenario.thread { number.value = 1 }
        scenario.thread {
          number.value = 2
          former.clean()
          distinct.observe(in: log)
        }
        scenario.check { check(number, log) }
      }
    }
  }
#endif
