#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: an observer's first value can be a value that earlier observers never receive. A new
  /// observer with such a first value is called again with the constant's final value.
  struct DerivedFirstValueInterleavings {
    /// The combined constant starts with 5. The earlier observer of `distinct` never receives 5.
    @Test func combinedConstantObservedInATransactionEndsWithTheCommittedValues() {
      explore { scenario in
        let (number, other, log) = (Variable(0), Variable(0), Log<[Int]>())
        let distinct = number.removeDuplicates()
        _ = distinct.observe(ignoreFirst: true) { _ in }
        scenario.transaction {
          number.value = 5
          Constant.combine(distinct, other).observe(in: log) { [$0.0, $0.1] }
          number.value = 0
        }
        scenario.thread { other.value = 1 }
        scenario.check {
          #expect(log.entries.first?[0] == 5)
          #expect(log.last == [0, 1])
        }
      }
    }

    /// Another observer, which has received no value, doesn't change with which value an observer of a map starts.
    @Test func mapObservedInATransactionStartsAsItsVariable() {
      explore { scenario in
        let (number, log) = (Variable(0), Log<Int>())
        let next = number.map { $0 + 1 }
        _ = next.observe(ignoreFirst: true) { _ in }
        scenario.transaction {
          number.value = 5
          next.observe(in: log) { $0 }
        }
        scenario.check { #expect(log.entries.first == 6) }
      }
    }

    /// The constant has not delivered the transaction's change yet.
    @Test(
      arguments: [
        { Constant.combine($0, $1) },
        { Constant.combine(Constant.combine($0, $1), $1).map { $0.0 } },
      ] as [@Sendable (Variable<Int>, Variable<Int>) -> Constant<(Int, Int)>]
    )
    func observerAfterATransactionStartsWithItsWholeResult(
      derive: @escaping @Sendable (Variable<Int>, Variable<Int>) -> Constant<(Int, Int)>
    ) {
      explore { scenario in
        let (left, right, log, late) = (Variable(0), Variable(0), Log<[Int]>(), Log<[Int]>())
        let both = derive(left, right)
        _ = left.observe(ignoreFirst: true) { _ in both.observe(in: log) { [$0.0, $0.1] } }
        scenario.transaction {
          left.value = 1
          _ = both.observe(ignoreFirst: true) { _ in }
          right.value = 1
        }
        scenario.thread {
          if !log.entries.isEmpty { both.observe(in: late) { [$0.0, $0.1] } }
        }
        scenario.check {
          #expect(log.entries == [[1, 1]])
          #expect(late.entries == [[1, 1]] || late.entries.isEmpty)
          right.value = 2
          #expect(log.last == [1, 2])
        }
      }
    }

    @Test(arguments: [1, 2])
    func observerAfterATransactionStartsWithTheCurrentValue(last: Int) {
      let (number, trigger, log) = (Variable(0), Variable(0), Log<String>())
      let text = number.map { "\($0)" }
      _ = number.observe { _ in }
      Dispatcher().transaction {
        number.value = 1
        _ = text.observe { _ in }
        if last > 1 { number.value = last }
      }
      _ = trigger.observe(ignoreFirst: true) { _ in
        number.value = 3
        text.observe(in: log)
      }

      trigger.value = 1

      #expect(log.entries == ["3"])
    }

    /// The transaction commits what the combination has started with, so that nothing reaches the map.
    @Test func mapHasAValueBeforeItsFirstObserverHasComputedIt() {
      explore { scenario in
        let (left, right, log) = (Variable(0), Variable(0), Log<Int>())
        let sum = Constant.combine(Constant.combine(left, right).map { $0.0 + $0.1 }, right)
        _ = left.observe { _ in }
        scenario.transaction { left.value = 1 }
        scenario.thread { sum.observe(in: log) { $0.0 } }
        scenario.check {
          #expect(log.last == 1)
          #expect(log.entries == log.entries.sorted())
        }
      }
    }

    @Test func observerThatIgnoresTheFirstValueReceivesOnlyLaterChanges() {
      let (left, right, log) = (Variable(0), Variable(0), Log<Int>())
      let sum = Constant.combine(left, right).map { $0.0 + 10 * $0.1 }
      _ = sum.observe { _ in }
      _ = left.observe(ignoreFirst: true) { [weak left] value in
        guard value == 1 else { return }
        for later in 2...5 { left?.value = later }
        Dispatcher.shared.transaction {
          right.value = 1
          _ = sum.observe(ignoreFirst: true) { log.append($0) }
        }
      }

      left.value = 1

      #expect(log.entries == [15])
    }

    @Test func observerThatHasAwaitedATransactionReceivesOnlyChanges() {
      let (number, log) = (Variable(0), Log<Int>())
      let tens = number.map { $0 / 10 }.removeDuplicates()
      _ = tens.observe { _ in }

      Dispatcher.shared.transaction {
        number.value = 10
        tens.map { $0 + 1 }.observe(in: log) { $0 }
      }
      for last in [11, 12, 20] { number.value = last }

      #expect(log.entries == [2, 3] || log.entries == [2, 2, 3])
    }

    // MARK: Observers that subscribe while another thread's transaction is open

    @Test func observerOfAMapOfACombinedConstantNeverGoesBack() {
      explore { scenario in
        let (left, right, log) = (Variable(0), Variable(0), Log<Int>())
        let both = Constant.combine(left, right)
        _ = both.observe { _ in }
        scenario.transaction { right.value = 1 }
        scenario.thread {
          both.map { $0.0 + $0.1 }.observe(in: log)
          left.value = 1
        }
        scenario.check {
          // Each of the two changes makes the sum larger. So a sum that goes back, or comes again, is a fault.
          #expect(zip(log.entries, log.entries.dropFirst()).allSatisfy { $0 < $1 })
          #expect(log.last == 2)
        }
      }
    }

    @Test func observerOfARowsCombinationNeverGoesBack() {
      explore(random: 200) { scenario in
        let (number, log) = (Variable(0), Log<Int>())
        let table = VariableTable([1, 2].map { Numbered(id: $0, number: 0) })
        let both = Constant.combine(number, table.row(id: 1))
        _ = both.observe { _ in }
        _ = table.rows.observe { _ in }
        scenario.thread { table[id: 1] = Numbered(id: 1, number: 1) }
        scenario.thread {
          both.map { $0.1?.number ?? -1 }.observe(in: log)
          number.value = 1
        }
        scenario.check {
          #expect(log.entries == log.entries.sorted())
          #expect(log.last == 1)
        }
      }
    }

    @Test func observerThatHasWrittenAVariableOfATransactionNeverReceivesAnOlderValue() {
      explore { scenario in
        let (left, right, log) = (Variable(0), Variable(0), Log<Int>())
        let both = Constant.combine(left, right)
        _ = both.observe { _ in }
        scenario.transaction { right.value = 1 }
        scenario.thread {
          right.value = 2
          both.map { $0.1 }.observe(in: log)
          left.value = 1
        }
        scenario.check {
          #expect(log.last == right.value)
          #expect(!log.entries.drop { $0 != 2 }.contains(0))
        }
      }
    }

    @Test func combinationOfAVariableAndItsCombinationHasOneValueOfTheVariable() {
      explore { scenario in
        let (left, right, log) = (Variable(0), Variable(0), Log<[Int]>())
        let both = Constant.combine(left, right)
        _ = both.observe { _ in }
        scenario.transaction { right.value = 1 }
        scenario.thread {
          Constant.combine(right, both).observe(in: log) { [$0, $1.0, $1.1] }
          left.value = 1
        }
        scenario.check {
          for entry in log.entries { #expect(entry[0] == entry[2]) }
          #expect(log.last == [1, 1, 1])
        }
      }
    }

    /// The inner constant delivers changes from before its first value as one change, which the outer
    /// constant must not receive.
    @Test func combineOfACombinedConstantObservedInATransactionEndsWithTheLastValues() {
      explore { scenario in
        let (left, right, log) = (Variable(0), Variable(0), Log<[Int]>())
        let both = Constant.combine(left, right)
        _ = left.observe { _ in }
        scenario.transaction {
          left.value = 1
          _ = both.observe(ignoreFirst: true) { _ in }
          Constant.combine(both, Variable(0)).observe(in: log) { [$0.0.0, $0.0.1] }
        }
        scenario.threads(1...2) { right.value = $0 }
        scenario.check { #expect(log.last == [1, right.value]) }
      }
    }
  }

  private struct Numbered: Identifiable, Sendable {
    let id: Int
    let number: Int
  }
#endif
