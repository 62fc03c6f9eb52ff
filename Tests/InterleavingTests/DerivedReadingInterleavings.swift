#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: a derived constant is computed at most once for each change. A read combines values that the
  /// variables have at the same time.
  struct DerivedReadingInterleavings {
    /// The sum derives from the left variable by two paths.
    @Test func readOfADerivedConstantDoesNotComputeADeliveredValueAgain() {
      explore { scenario in
        let (left, right, computations) = (Variable(0), Variable(0), Log<Int>())
        let both = Constant.combine(left, right)
        let sum = Constant.combine(both, left).map { both, left in
          computations.append(left)
          return both.0 + both.1 + left
        }
        _ = sum.observe(ignoreFirst: true) { _ in }
        scenario.thread { left.value = 1 }
        scenario.thread { right.value = 1 }
        scenario.check {
          let count = computations.entries.count
          #expect(sum.value == 3)
          #expect(computations.entries.count == count)
        }
      }
    }

    @Test func mapIsComputedOncePerChangeForAllItsObservers() {
      explore { scenario in
        let (number, computed) = (Variable(0), Log<Int>())
        let tenfold = number.map {
          computed.append($0)
          return $0 * 10
        }
        let (log, other) = (tenfold.logChanges(), tenfold.map { $0 + 1 }.logChanges())
        scenario.threads(1...2) { number.value = $0 }
        scenario.check {
          let values = [3 - number.value, number.value]
          #expect(log.entries == values.map { $0 * 10 })
          #expect(other.entries == values.map { $0 * 10 + 1 })
          #expect(tenfold.value == values[1] * 10)
          #expect(computed.entries == values)
        }
      }
    }

    /// The observer of `both` reads the sum before the sum is delivered.
    @Test func derivedValueReadBeforeItsDeliveryIsNotComputedAgainForTheDelivery() {
      explore { scenario in
        let (left, right, computed) = (Variable(0), Variable(0), Log<Int>())
        let both = Constant.combine(left, right)
        let sum = both.map {
          computed.append($0.0 + $0.1)
          return $0.0 + $0.1
        }
        _ = both.observe(ignoreFirst: true) { _ in _ = sum.value }
        let log = sum.logChanges()
        scenario.thread { left.value = 1 }
        scenario.thread { right.value = 1 }
        scenario.check {
          #expect(computed.entries.sorted() == [1, 2])
          #expect(log.entries == [1, 2])
        }
      }
    }

    /// Each of two threads computes the first values of a chain at most once.
    @Test func delivererComputesTheFirstValuesOfAChainOnce() {
      explore { scenario in
        let (number, computed) = (Variable(0), Log<Int>())
        let tens = number.removeDuplicates { $0 / 10 == $1 / 10 }
        let chain = (1...6).reduce(tens) { source, index in
          source.map {
            computed.append(index)
            return $0
          }
        }
        _ = tens.observe { _ in }
        scenario.thread { _ = chain.observe { _ in } }
        scenario.thread { number.value = 1 }
        scenario.check {
          for index in 1...6 { #expect(computed.entries.count { $0 == index } <= 2) }
        }
      }
    }

    // MARK: Values that count as equal

    @Test func readsBeforeADeliveryComputeAValueOnceMore() {
      let (number, other, computed) = (Variable(0), Variable(0), Log<Int>())
      let current = number.removeDuplicates()
      let last = current.map { computed.append($0) }.map { $0 }
      let both = Constant.combine(current, other.map { computed.append($0 - 1) })
      let dust = last.observe { _ in }
      computed.removeAll()

      Dispatcher.shared.transaction {
        number.value = 1
        for _ in 1...3 { _ = (last.value, both.value) }
      }

      #expect(computed.entries == [1, -1, 1])
      dust.clean()
    }

    /// The constant of the users has delivered only "old".
    @Test func readOfASkippedValueChangesNothingForObservers() {
      explore { scenario in
        let (user, count, log) = (Variable(User(name: "old")), Variable(0), Log<String>())
        let current = user.removeDuplicates()
        let row = Constant.combine(current, count).map { "\($0.name) \($1)" }
        _ = current.observe { _ in }
        row.observe(in: log)
        scenario.transaction {
          user.value.name = "new"
          count.value = 1
          _ = (row.value, current.value)
        }
        scenario.thread { _ = row.value }
        scenario.check {
          count.value = 2
          #expect(log.entries == ["old 0", "old 1", "old 2"])
        }
      }
    }

    @Test func readBeforeTheDeliveryLeavesNoSkippedValueForNewObservers() {
      explore { scenario in
        let (user, log) = (Variable(User(name: "old")), Log<String>())
        let current = user.removeDuplicates()
        let name = current.map(\.name)
        _ = current.observe { _ in }
        scenario.transaction {
          user.value.name = "new"
          _ = (current.value, name.value)
        }
        scenario.thread { _ = (current.value, name.value) }
        scenario.check {
          name.observe(in: log)
          #expect(log.entries == ["old"])
        }
      }
    }
  }

  extension DerivedReadingInterleavings {
    /// Until a thread has started the constant of the users, it has no delivered value.
    @Test func readBesideAFirstObserverChangesNothingForTheObserver() {
      explore { scenario in
        let (user, count, log) = (Variable(User(name: "old")), Variable(0), Log<String>())
        let row = Constant.combine(user.removeDuplicates(), count).map { "\($0.name) \($1)" }
        scenario.thread { row.observe(in: log) }
        scenario.transaction {
          user.value.name = "new"
          count.value = 1
          _ = row.value
        }
        scenario.check {
          if log.entries.first == "old 0" { #expect(log.last == "old 1") }
        }
      }
    }

    @Test func constantThatWasObservedInATransactionBeforeSkipsValues() {
      let (user, count, log) = (Variable(User(name: "older")), Variable(0), Log<String>())
      let row = Constant.combine(user.removeDuplicates(), count).map { "\($0.name) \($1)" }
      let dust = user.observe { _ in }
      Dispatcher().transaction {
        user.value.name = "old"
        row.observe { _ in }.clean()
      }
      dust.clean()

      row.observe(in: log)
      Dispatcher().transaction {
        user.value.name = "new"
        count.value = 1
        _ = row.value
      }

      #expect(log.entries == ["old 0", "old 1"])
    }
  }

  /// A user that is equal to every other one.
  private struct User: Equatable, Sendable {
    var name: String

    static func == (_: User, _: User) -> Bool { true }
  }
#endif
