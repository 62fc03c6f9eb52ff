import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// The changes that observers receive when other threads write during a transaction.
struct MixedTransactionsTests {
  private let dispatcher = Dispatcher()
  private let dusts = DustBuster()

  /// Runs a new dispatcher's transaction on another thread, and waits for the end of that thread.
  private func elsewhere(_ body: @escaping @Sendable () -> Void) {
    Beside { Dispatcher().transaction { body() } }.join()
  }

  /// Returns a log of the values that an observer of two combined variables receives.
  private func logOfPairs(_ first: Variable<Int>, _ second: Variable<Int>) -> Log<[Int]> {
    let log = Log<[Int]>()
    Constant.combine(Constant(first), Constant(second)).observe { log.append([$0, $1]) }
      .cleaned(by: dusts)
    return log
  }

  // Consistent values

  @Test func nestedCombinedConstantDeliversAnotherThreadsWriteBeforeTheOpenTransactionEnds() {
    let (a, b, c) = (Variable(0), Variable(0), Variable(0))
    let log = Log<String>()
    Constant.combine(Constant(a), Constant.combine(Constant(b), Constant(c)))
      .observe { log.append("\($0)\($1.0)\($1.1)") }
      .cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      elsewhere { c.value = 1 }
      b.value = 1
    }

    #expect(log.entries == ["000", "001", "111"])
  }

  @Test
  func anotherThreadsWriteDuringATransactionIsDeliveredBeforeTheTransactionOverwritesTheValue() {
    let (a, b) = (Variable(0), Variable(0))
    let log = logOfPairs(a, b)

    dispatcher.transaction {
      a.value = 1
      elsewhere { b.value = 50 }
      b.value = 1
    }

    #expect(log.entries == [[0, 0], [0, 50], [1, 1]])
  }

  @Test func transactionThatWritesASharedVariableAgainDeliversItsWholeChange() {
    let (a, b) = (Variable(0), Variable(0))
    let log = logOfPairs(a, b)

    dispatcher.transaction {
      a.value = 1
      b.value = 1
      elsewhere { a.value = 100 }
      a.value = 2
    }

    #expect(log.entries == [[0, 0], [100, 0], [2, 1]])
  }

  @Test func firstOfTwoTransactionsToEndDeliversTheVariableThatBothHaveWritten() {
    let (a, b, c) = (Variable(0), Variable(0), Variable(0))
    let left = a.map { $0 }
    let right = Constant.combine(Constant(b), Constant(c)).map { $0 + $1 }
    let log = Log<[Int]>()
    let tripled = Log<[Int]>()
    let both = Constant.combine(left, right)
    both.observe { log.append([$0, $1]) }.cleaned(by: dusts)
    Constant.combine(both.map(\.1), both.map(\.0), left).observe { tripled.append([$0, $1, $2]) }
      .cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      elsewhere {
        a.value = 10
        b.value = 10
      }
      c.value = 1
    }
    a.value = 20

    #expect(log.entries == [[0, 0], [10, 10], [10, 11], [20, 11]])
    #expect(tripled.entries == [[0, 0, 0], [10, 10, 10], [11, 10, 10], [11, 20, 20]])
  }

  @Test func combinedConstantEndsWithTheLastWriteOfEachVariableAfterThreeInterleavedTransactions() {
    let (a, b) = (Variable(0), Variable(0))
    let log = Log<[Int]>()
    Constant.combine(a.map { $0 }, Constant(b)).map { [$0, $1] }.observe { log.append($0) }
      .cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      elsewhere { a.value = 2 }
      elsewhere {
        a.value = 3
        b.value = 3
      }
      b.value = 1
    }

    #expect(log.entries == [[0, 0], [2, 0], [3, 3], [3, 1]])
  }

  @Test func diamondDeliversInterleavedTransactionsOnOneVariableUnmixed() {
    let a = Variable(0)
    let log = Log<String>()
    Constant.combine(a.map { $0 }, a.map { $0 }).map { "\($0)\($1)" }.map { $0 }
      .observe { log.append($0) }
      .cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      elsewhere { a.value = 2 }
      a.value = 3
    }

    #expect(log.entries == ["00", "22", "33"])
  }

  @Test func nestedDiamondsDeliverEachOfTwoInterleavedTransactionsOnceAndUnmixed() {
    let (a, b) = (Variable(0), Variable(0))
    let inner = Constant.combine(Constant(b), Constant(a))
    let middle = Constant.combine(inner, inner).map { $0 }
    let log = Log<String>()
    Constant.combine(Constant(b), middle)
      .observe { log.append("\($0)\($1.0.0)\($1.0.1)\($1.1.0)\($1.1.1)") }
      .cleaned(by: dusts)

    dispatcher.transaction {
      b.value = 1
      elsewhere { a.value = 1 }
      a.value = 2
    }

    #expect(log.entries == ["00000", "00101", "11212"])
  }

  // Observers that subscribe during a transaction

  @Test
  func observerAddedDuringATransactionAfterAnotherThreadsWriteEndsWithTheCommittedValues() {
    let (a, b, c) = (Variable(0), Variable(0), Variable(0))
    let all = Constant.combine(Constant(a), Constant(b), Constant(c))
    let (old, new) = (Log<[Int]>(), Log<[Int]>())
    all.observe(ignoreFirst: true) { old.append([$0, $1, $2]) }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      elsewhere { b.value = 1 }
      all.observe { new.append([$0, $1, $2]) }.cleaned(by: dusts)
      c.value = 1
    }

    #expect(old.entries == [[0, 1, 0], [1, 1, 1]])
    #expect(new.entries.last == [1, 1, 1])
  }

  @Test
  func combinedConstantFirstObservedAfterAnotherThreadsWriteInATransactionEndsWithTheLastValues() {
    let (a, b) = (Variable(0), Variable(0))
    let inner = Constant.combine(Constant(a), Constant(b))
    let outer = Constant.combine(Constant(b), inner)
    let log = Log<[Int]>()
    inner.observe { _ in }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      elsewhere { b.value = 1 }
      outer.observe { log.append([$0, $1.0, $1.1]) }.cleaned(by: dusts)
      a.value = 2
    }

    #expect(log.entries == [[1, 1, 1], [1, 2, 1]])
  }

  @Test func combinedConstantFirstObservedDuringATransactionDeliversInterleavedWritesUnmixed() {
    let (a, b) = (Variable(0), Variable(0))
    let inner = Constant.combine(Constant(a), Constant(b))
    let outer = Constant.combine(Constant(b), inner.map { $0 })
    let log = Log<[Int]>()
    inner.observe { _ in }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      outer.observe { log.append([$0, $1.0, $1.1]) }.cleaned(by: dusts)
      elsewhere { a.value = 5 }
      b.value = 1
    }

    #expect(log.entries == [[0, 1, 0], [0, 5, 0], [1, 5, 1]])
  }

  @Test func combinedConstantFirstObservedOnAnotherThreadDuringATransactionReceivesLaterChanges() {
    let (a, b, c) = (Variable(0), Variable(0), Variable(0))
    let all = Constant.combine(Constant(a), Constant(b), Constant(c))
    let outer = Constant.combine(all, Constant(Variable(0)))
    let log = Log<[Int]>()
    all.observe { _ in }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      elsewhere {
        b.value = 2
        outer.observe { all, _ in log.append([all.0, all.1, all.2]) }.cleaned(by: dusts)
      }
      c.value = 3
      elsewhere { b.value = 4 }
    }

    #expect(log.entries.first == [1, 2, 0])
    #expect(log.entries.last == [1, 4, 3])
  }

  @Test(arguments: [false, true])
  func constantDerivedFromACombinedConstantDeliversTheCommitWhenFirstObservedInATransaction(
    isMap: Bool
  ) {
    let (a, b, x) = (Variable(0), Variable(0), Variable(0))
    let all = Constant.combine(Constant(a), Constant(b))
    let outer = Constant.combine(all, Constant(x))
    let end =
      isMap ? outer.map { $0.0.0 } : Constant.combine(outer, Constant(x)).map { $0.0.0.0 }
    let log = Log<Int>()
    all.observe { _ in }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      end.observe { log.append($0) }.cleaned(by: dusts)
      a.value = 2
    }
    a.value = 3

    #expect(log.entries == [1, 2, 3])
  }

  @Test
  func removeDuplicatesObserverAddedDuringATransactionReceivesTheSameValuesAsTheOthers() {
    let a = Variable(1)
    let unique = a.removeDuplicates()
    let (old, new) = (Log<Int>(), Log<Int>())
    unique.observe { old.append($0) }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 2
      unique.observe { new.append($0) }.cleaned(by: dusts)
      a.value = 2
    }
    a.value = 3

    #expect(old.entries == [1, 2, 3])
    #expect(new.entries == [1, 2, 3])
  }

  @Test
  func removeDuplicatesObserverThatSkipsTheFirstValueInATransactionReceivesTheCommittedValueOnce() {
    let a = Variable(0)
    let rest = a.map { $0 % 3 }
    let unique = rest.removeDuplicates()
    let log = Log<Int>()
    rest.observe { _ in }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 2
      unique.observe { _ in }.cleaned(by: dusts)
      unique.observe(ignoreFirst: true) { log.append($0) }.cleaned(by: dusts)
    }
    a.value = 5
    a.value = 8

    #expect(log.entries == [2])
  }

  @Test func observerAddedDuringATransactionThatRestoresAValueReceivesOnlyThisValue() {
    let a = Variable(1)
    let unique = a.removeDuplicates()
    let (old, new, derived) = (Log<Int>(), Log<Int>(), Log<Int>())
    let mapped = unique.map { $0 * 10 }
    unique.observe { old.append($0) }.cleaned(by: dusts)
    mapped.observe { _ in }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 2
      unique.observe { new.append($0) }.cleaned(by: dusts)
      mapped.observe { derived.append($0) }.cleaned(by: dusts)
      a.value = 1
    }
    a.value = 1

    #expect(old.entries == [1])
    #expect(new.entries == [1])
    #expect(derived.entries == [10])
  }

  @Test func observerAddedDuringATransactionThatRestoresItsFirstValueIsNotCalledAgain() {
    let a = Variable(1)
    let unique = a.removeDuplicates()
    let (old, new) = (Log<Int>(), Log<Int>())
    unique.observe { old.append($0) }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 2
      a.value = 1
      unique.observe { new.append($0) }.cleaned(by: dusts)
      a.value = 3
      a.value = 1
    }
    a.value = 1

    #expect(old.entries == [1])
    #expect(new.entries == [1])
  }

  @Test func observerAddedDuringATransactionReceivesTheCommitDespiteAnotherThreadsDuplicateWrite() {
    let (a, b) = (Variable(0), Variable(0))
    let log = Log<[Int]>()
    let both = Constant.combine(Constant(a), b.removeDuplicates()).map { [$0, $1] }
    both.observe { _ in }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      elsewhere { b.value = 0 }
      both.observe { log.append($0) }.cleaned(by: dusts)
      a.value = 2
    }

    #expect(log.entries == [[0, 0], [2, 0]])
  }

  @Test func observersAddedDuringATransactionReceiveAnotherThreadsWriteAsAPartOfTheTransaction() {
    let a = Variable(0)
    let mapped = a.map { $0 }
    let (old, new, direct) = (Log<Int>(), Log<Int>(), Log<Int>())
    mapped.observe { old.append($0) }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      mapped.observe { new.append($0) }.cleaned(by: dusts)
      a.observe { direct.append($0) }.cleaned(by: dusts)
      Beside { a.value = 100 }.join()
      a.value += 1
    }

    #expect(old.entries == [0, 101])
    #expect(new.entries == [0, 101])
    #expect(direct.entries == [1, 101])
  }

  @Test func combinedConstantFirstObservedBetweenWritesOfATransactionDeliversTheCommittedValues() {
    let (v, w) = (Variable(0), Variable(0))
    let doubled = v.map { $0 * 2 }
    let log = Log<[Int]>()
    doubled.observe { _ in }.cleaned(by: dusts)

    dispatcher.transaction {
      v.value = 1
      Constant.combine(doubled, Constant(w)).observe { log.append([$0, $1]) }.cleaned(by: dusts)
      w.value = 2
    }
    w.value = 3
    v.value = 5

    #expect(log.entries == [[2, 0], [2, 2], [2, 3], [10, 3]])
  }

  @Test func nestedCombinedConstantsFirstObservedDuringATransactionDeliverLaterChanges() {
    let (a, b, x) = (Variable(0), Variable(0), Variable(0))
    let inner = Constant.combine(Constant(a), Constant(b))
    let outer = Constant.combine(inner, Constant(x))
    let log = Log<[Int]>()
    a.observe { _ in }.cleaned(by: dusts)

    dispatcher.transaction {
      a.value = 1
      outer.observe { log.append([$0.0, $0.1, $1]) }.cleaned(by: dusts)
      Beside { b.value = 1 }.join()
    }
    #expect(log.entries.last == [1, 1, 0])
    b.value = 2
    x.value = 3

    #expect(log.entries.suffix(2) == [[1, 2, 0], [1, 2, 3]])
  }

  @Test func observerAddedBetweenTwoTransactionsInsideAnObserverReceivesEachValueOnce() {
    let (v, w, trigger) = (Variable(0), Variable(0), Variable(0))
    let log = Log<Int>()
    Constant.combine(Constant(v), Constant(w)).observe { _, _ in }.cleaned(by: dusts)
    trigger.observe(ignoreFirst: true) { [dispatcher, dusts] _ in
      dispatcher.transaction { v.value = 1 }
      v.observe { log.append($0) }.cleaned(by: dusts)
      dispatcher.transaction { v.value = 2 }
    }
    .cleaned(by: dusts)

    trigger.value = 1

    #expect(log.entries == [1, 2])
  }

  @Test func combinedConstantFirstObservedDuringATransactionDeliversAnEqualValueAtMostTwice() {
    let (v, w) = (Variable(0), Variable(0))
    for value in 1...100 { v.value = value }
    let both = Constant.combine(v.removeDuplicates(), Constant(w))
    let log = Log<Int>()
    w.observe { _ in }.cleaned(by: dusts)

    dispatcher.transaction {
      w.value = 1
      both.observe(ignoreFirst: true) { log.append($0 + $1) }.cleaned(by: dusts)
    }
    for _ in 1...10 { v.value = 100 }

    #expect(log.entries.count <= 2)
  }

  @Test func mutationThatReleasesTheLastReferenceToADerivedConstantOfItsVariableDoesNotTrap() {
    let rows = Variable<[Constant<Int>]>([])
    rows.value = [rows.map(\.count)]

    rows.value.removeAll()

    #expect(rows.value.isEmpty)
  }

  // Reads before a delivery

  @Test func removeDuplicatesDeliversAValueThatWasReadBeforeItsDelivery() {
    let a = Variable(11)
    let tens = a.removeDuplicates { $0 / 10 == $1 / 10 }
    let log = Log<Int>()
    tens.observe { log.append($0) }.cleaned(by: dusts)
    a.observe(ignoreFirst: true) { value in
      guard value == 21 else { return }
      a.value = 12
      _ = tens.value
    }
    .cleaned(by: dusts)

    a.value = 21

    #expect(log.entries == [11, 21, 12])
    #expect(tens.value == 12)
  }

  @Test func observerAddedBeforeAPendingChangeIsDeliveredReceivesItsFirstValueOnce() {
    let a = Variable(1)
    let unique = a.removeDuplicates()
    unique.observe { _ in }.cleaned(by: dusts)
    let log = Log<Int>()
    a.observe(ignoreFirst: true) { [dusts] value in
      guard value == 2 else { return }
      a.value = 1
      unique.map { $0 }.observe { log.append($0) }.cleaned(by: dusts)
    }
    .cleaned(by: dusts)

    a.value = 2
    a.value = 1

    #expect(log.entries == [1])
  }

  @Test func mapAfterRemoveDuplicatesIsNotComputedAgainForDuplicatesOfTheFirstValue() {
    let a = Variable(1)
    let count = Tally()
    let log = Log<Int>()
    a.removeDuplicates().map(counting: count) { $0 * 2 }.map { $0 + 1 }.observe { log.append($0) }
      .cleaned(by: dusts)

    a.value = 1
    a.value = 1
    a.value = 2

    #expect(count.value == 2)
    #expect(log.entries == [3, 5])
  }

  // Inside a mutation

  @Test func cleanInsideAMutationOfTheVariableEndsTheObservationBeforeTheMutationIsDelivered() {
    let a = Variable(0)
    let log = Log<Int>()
    let dust = a.map { $0 }.observe { log.append($0) }

    a.modify { value in
      dust.clean()
      value = 1
    }
    a.value = 2

    #expect(log.entries == [0])
  }

  @Test func observationCleanedByAValueThatAMutationReleasesReceivesNoChange() {
    let items = Variable<[DustBuster]>([DustBuster()])
    let log = Log<Int>()
    for bag in items.value {
      items.map(\.count).observe(ignoreFirst: true) { log.append($0) }.cleaned(by: bag)
      items.observe(ignoreFirst: true) { log.append($0.count) }.cleaned(by: bag)
    }

    items.value.removeAll()
    items.value.append(DustBuster())

    #expect(log.entries == [])
  }

  @Test func mutationsOfTwoVariablesThatCleanEachOthersObservationsDoNotDeadlock() async {
    let (a, b) = (Variable(0), Variable(0))
    let count = Tally()
    for isDerived in [false, true] {
      await inParallel(2) { index in
        let (own, other) = index == 0 ? (a, b) : (b, a)
        for _ in 0..<stress(5_000) {
          let dust =
            isDerived
            ? other.map { $0 }.observe(ignoreFirst: true) { _ in count.add() }
            : other.observe(ignoreFirst: true) { _ in count.add() }
          own.modify { value in
            dust.clean()
            value += 1
          }
        }
      }
    }

    let before = count.value
    a.value = 0
    b.value = 0
    #expect(count.value == before)
  }
}
