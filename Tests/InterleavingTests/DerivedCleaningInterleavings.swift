#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: a derived constant delivers every change while it has observers, even if some observers are
  /// cleaned during changes.
  struct DerivedCleaningInterleavings {
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

    /// Another thread may be cleaning the last observation when this thread's `clean()` returns.
    @Test func constantObservedAgainAfterCleaningStartsWithTheCurrentValue() {
      explore { scenario in
        let (variable, log) = (Variable(0), Log<Int>())
        let constant = variable.map(\.self)
        let dust = constant.observe { _ in }
        scenario.thread { dust.clean() }
        scenario.thread {
          Dispatcher.shared.transaction {
            variable.value = 1
            dust.clean()
            _ = constant.observe { log.append($0) }
          }
        }
        scenario.check { #expect(log.entries.first == 1) }
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
