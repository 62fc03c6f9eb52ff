import Dispatch
import FluxCapacitor
import Synchronization
import Testing

struct DerivedTests {
  // Unobserved

  @Test func readComputesOnlyIfTheSourceHasChanged() {
    let source = Variable(1)
    let count = Tally()
    let doubled = source.map { value in
      count.add()
      return value * 2
    }
    #expect(count.value == 0)

    #expect([doubled.value, doubled.value] == [2, 2])
    #expect(count.value == 1)
    source.value = 2
    #expect(count.value == 1)
    #expect([doubled.value, doubled.value] == [4, 4])
    #expect(count.value == 2)
  }

  @Test func readComputesNothingBehindARemovedDuplicate() {
    let source = Variable(1)
    let count = Tally()
    let text = source.map { $0 % 2 }.removeDuplicates().map { value in
      count.add()
      return "\(value)"
    }

    #expect(text.value == "1")
    source.value = 3
    #expect(text.value == "1")
    #expect(count.value == 1)
    source.value = 4
    #expect(text.value == "0")
    #expect(count.value == 2)
  }

  @Test func readInsideAReduceSeesWhatItHasWritten() {
    let source = Variable(1)
    let doubled = source.map { $0 * 2 }
    let log = Log<Int>()
    let dust = doubled.observe { log.append($0) }

    Dispatcher().transaction {
      source.value = 2
      #expect(doubled.value == 4)
      source.value = 3
      #expect(doubled.value == 6)
    }

    #expect(log.entries == [2, 6])
    dust.clean()
  }

  @Test func readInsideAMutationOfItsVariableTraps() async {
    await #expect(processExitsWith: .failure) {
      let source = Variable(1)
      let doubled = source.map { $0 * 2 }
      source.modify { $0 = doubled.value }
    }
  }

  // Observed

  @Test func observersShareOneComputationAChange() {
    let source = Variable(1)
    let count = Tally()
    let doubled = source.map { value in
      count.add()
      return value * 2
    }
    let log = Log<Int>()
    let dusts = DustBuster()
    doubled.observe { log.append($0) }.cleaned(by: dusts)
    doubled.observe { log.append(-$0) }.cleaned(by: dusts)

    source.value = 2
    #expect(doubled.value == 4)
    source.value = 2

    #expect(log.entries == [2, -2, 4, -4, 4, -4])
    #expect(count.value == 3)
  }

  @Test func readerAheadOfTheTellingLeavesItsComputationForIt() {
    let source = Variable(1)
    let count = Tally()
    let doubled = source.map { value in
      count.add()
      return value * 2
    }
    let log = Log<String>()
    let dusts = DustBuster()
    doubled.observe { log.append("derived \($0)") }.cleaned(by: dusts)
    source.observe(ignoreFirst: true) { _ in log.append("read \(doubled.value)") }
      .cleaned(by: dusts)

    source.value = 2

    #expect(log.entries == ["derived 2", "read 4", "derived 4"])
    #expect(count.value == 2)
  }

  @Test func ignoringTheFirstValueComputesNothing() {
    let source = Variable(1)
    let count = Tally()
    let log = Log<Int>()
    let dust = source.map { value in
      count.add()
      return value * 2
    }.map { $0 + 1 }.observe(ignoreFirst: true) { log.append($0) }

    #expect(count.value == 0)
    source.value = 2

    #expect(log.entries == [5])
    #expect(count.value == 1)
    dust.clean()
  }

  @Test func removeDuplicatesTellsOnlyOtherValues() {
    let source = Variable(1)
    let log = Log<Int>()
    let ignoring = Log<Int>()
    let dusts = DustBuster()
    source.removeDuplicates().observe { log.append($0) }.cleaned(by: dusts)
    source.removeDuplicates().observe(ignoreFirst: true) { ignoring.append($0) }.cleaned(by: dusts)

    for value in [1, 2, 2, 3, 3, 1] { source.value = value }

    #expect(log.entries == [1, 2, 3, 1])
    #expect(ignoring.entries == [2, 3, 1])
  }

  @Test func removeDuplicatesByAPredicateKeepsTheFirstOfEquals() {
    let source = Variable("a")
    let log = Log<String>()
    let unique = source.removeDuplicates { $0.lowercased() == $1.lowercased() }
    let dust = unique.observe { log.append($0) }

    for value in ["A", "b", "B", "b"] { source.value = value }

    #expect(log.entries == ["a", "b"])
    #expect(unique.value == "b")
    dust.clean()
  }

  @Test func changeThatARemovedDuplicateSwallowsComputesNothingDownstream() {
    let source = Variable(1)
    let other = Variable("a")
    let count = Tally()
    let parity = source.map { $0 % 2 }.removeDuplicates()
    let log = Log<String>()
    let dust = Constant.combine(parity, Constant(other)).map { parity, other in
      count.add()
      return "\(parity)\(other)"
    }.observe { log.append($0) }

    source.value = 3
    other.value = "b"
    source.value = 4

    #expect(log.entries == ["1a", "1b", "0b"])
    #expect(count.value == 3)
    dust.clean()
  }

  @Test func observerStartsWithTheCurrentValueThoughOthersAreYetToBeTold() {
    let source = Variable(1)
    let doubled = source.map { $0 * 2 }
    let log = Log<String>()
    let dusts = DustBuster()
    doubled.observe { log.append("old \($0)") }.cleaned(by: dusts)
    source.observe(ignoreFirst: true) { _ in
      doubled.observe { log.append("new \($0)") }.cleaned(by: dusts)
    }.cleaned(by: dusts)

    source.value = 2

    #expect(log.entries == ["old 2", "new 4", "old 4"])
  }

  @Test func observerOnAQueueIsToldTheFirstValueFirst() async {
    let source = Variable(0)
    let log = Log<Int>()
    let last = AsyncStream.makeStream(of: Void.self)
    let queue = DispatchQueue(label: "observer")
    let dusts = DustBuster()
    queue.suspend()

    source.map { value in
      // Written after the subscription and before the first value is known.
      if value == 0 { source.value = 1 }
      return value
    }.observe(on: .queue(queue)) { value in
      log.append(value)
      if value == 2 { last.continuation.yield() }
    }.cleaned(by: dusts)
    source.value = 2
    queue.resume()
    for await _ in last.stream { break }

    #expect(log.entries == [0, 1, 2])
  }

  // Several sources

  @Test func combineTellsAReduceOnce() {
    let first = Variable(1)
    let second = Variable("a")
    let third = Variable(true)
    let log = Log<String>()
    let combined = Constant.combine(Constant(first), Constant(second), Constant(third))
    let dust = combined.observe { log.append("\($0.0)\($0.1)\($0.2)") }

    Dispatcher().transaction {
      first.value = 2
      third.value = false
      first.value = 3
    }
    second.value = "b"

    #expect(log.entries == ["1atrue", "3afalse", "3bfalse"])
    #expect(combined.value == (3, "b", false) as (Int, String, Bool))
    dust.clean()
  }

  @Test func diamondTellsOneConsistentValueAChange() {
    let source = Variable(1)
    let count = Tally()
    let doubled = source.map { $0 * 2 }
    let tripled = source.map { $0 * 3 }
    let sums = Constant.combine(doubled, tripled).map { doubled, tripled in
      count.add()
      return doubled + tripled
    }
    let all = Constant.combine(Constant(source), sums, doubled)
    let log = Log<[Int]>()
    let dust = all.observe { log.append([$0.0, $0.1, $0.2]) }

    source.value = 2
    source.value = 3

    #expect(log.entries == [[1, 5, 2], [2, 10, 4], [3, 15, 6]])
    #expect(count.value == 3)
    dust.clean()
  }

  @Test func ladderOfDiamondsIsComputedOnceARung() {
    let source = Variable(1)
    let count = Tally()
    var rung = Constant(source)
    for _ in 0..<30 {
      let left = rung.map { $0 &+ 1 }
      let right = rung.map { $0 &- 1 }
      rung = Constant.combine(left, right).map { left, right in
        count.add()
        return left &+ right
      }
    }
    let log = Log<Int>()
    let dust = rung.observe { log.append($0) }

    source.value = 2

    #expect(log.entries == [1 << 30, 2 << 30])
    #expect(count.value == 60)
    dust.clean()
  }

  @Test func mutationThatWritesAnotherVariableIsToldOnce() {
    let first = Variable(0)
    let second = Variable(0)
    let log = Log<[Int]>()
    let dust = Constant.combine(Constant(first), Constant(second)).observe {
      log.append([$0.0, $0.1])
    }

    first.modify {
      $0 = 1
      second.value = 1
    }

    #expect(log.entries == [[0, 0], [1, 1]])
    dust.clean()
  }

  @Test func variableOfTwoDispatchersCombineAndEachStaysConsistent() {
    let dispatchers = [Dispatcher(), Dispatcher()]
    let variables = (0..<4).map { _ in Variable(0) }
    let log = Log<[Int]>()
    let dust = Constant.combine(
      Constant(variables[0]),
      Constant(variables[1]),
      Constant(variables[2]),
      Constant(variables[3])
    ).observe { log.append([$0.0, $0.1, $0.2, $0.3]) }

    dispatchers[0].transaction {
      variables[0].value = 1
      variables[1].value = 1
    }
    dispatchers[1].transaction {
      variables[2].value = 1
      variables[3].value = 1
    }

    #expect(log.entries == [[0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]])
    dust.clean()
  }

  @Test func writeOfAnotherThreadAmidATransactionLeavesNothingStale() {
    let first = Variable(0)
    let second = Variable(0)
    let log = Log<[Int]>()
    let dust = Constant.combine(Constant(first), Constant(second)).observe {
      log.append([$0.0, $0.1])
    }

    Dispatcher().transaction {
      first.value = 1
      Beside {
        second.value = 7
        first.value = 7
      }.join()
      second.value = 1
    }

    #expect(log.entries.last == [7, 1])
    #expect(log.entries.first == [0, 0])
    dust.clean()
  }

  @Test(arguments: [false, true]) func observerThatJoinsAmidATransactionIsToldItsEnd(
    isObserved: Bool
  ) {
    let first = Variable(0)
    let second = Variable(0)
    let doubled = first.map { $0 * 2 }
    let both = Constant.combine(doubled.map { $0 + 1 }, Constant(second))
    let old = Log<[Int]>()
    let single = Log<Int>()
    let pairs = Log<[Int]>()
    let dusts = DustBuster()
    if isObserved { both.observe { old.append([$0.0, $0.1]) }.cleaned(by: dusts) }

    Dispatcher().transaction {
      first.value = 1
      Beside {
        doubled.observe(ignoreFirst: true) { single.append($0) }.cleaned(by: dusts)
        both.observe(ignoreFirst: true) { pairs.append([$0.0, $0.1]) }.cleaned(by: dusts)
      }.join()
      first.value = 2
      second.value = 2
    }
    second.value = 3

    #expect(old.entries == (isObserved ? [[1, 0], [5, 2], [5, 3]] : []))
    #expect(single.entries == [4])
    #expect(pairs.entries == [[5, 2], [5, 3]])
  }

  @Test func observerThatJoinsAfterATransactionsLastWriteIsNotToldItAgain() {
    let variable = Variable(0)
    let doubled = variable.map { $0 * 2 }
    let old = Log<Int>()
    let new = Log<Int>()
    let dusts = DustBuster()
    doubled.observe { old.append($0) }.cleaned(by: dusts)

    Dispatcher().transaction {
      variable.value = 1
      Beside { doubled.observe { new.append($0) }.cleaned(by: dusts) }.join()
    }

    #expect(old.entries == [0, 2])
    #expect(new.entries == [2])
  }

  // Depth

  @Test(arguments: [1_000, 5_000]) func chainOfAnyDepthTakesNoStack(depth: Int) async {
    let tally = Counted.Tally()
    await inParallel(1, stackSize: 1 << 19) { _ in
      let source = Variable(1)
      let counted = Counted(tally)
      var end = Constant(source)
      for _ in 0..<depth { end = end.map { [counted] in counted.pass($0 + 1) } }
      #expect(end.value == depth + 1)
      source.value = 2
      #expect(end.value == depth + 2)

      let log = Log<Int>()
      let dust = end.observe { log.append($0) }
      source.value = 3
      dust.clean()

      #expect(log.entries == [depth + 2, depth + 3])
    }
    #expect(tally.count == 0)
  }

  // Lifetime

  @Test func observationKeepsAChainUntilItIsCleaned() {
    let tally = Counted.Tally()
    let source = Variable(1)
    let log = Log<Int>()
    let counted = Counted(tally)
    let dust = source.map { [counted] in counted.pass($0 * 2) }
      .removeDuplicates()
      .map { [counted] in counted.pass($0 + 1) }
      .observe { log.append($0) }
    withExtendedLifetime(counted) {}

    source.value = 2
    #expect(log.entries == [3, 5])
    dust.clean()
    source.value = 3

    #expect(log.entries == [3, 5])
  }

  @Test func everythingIsFreedWithTheLastDust() {
    let tally = Counted.Tally()
    let source = Variable(1)
    let dusts = DustBuster()
    do {
      let counted = Counted(tally)
      let left = source.map { [counted] in counted.pass($0 * 2) }
      let right = left.map { [counted] in counted.pass($0 * 3) }
      for _ in 0..<3 {
        Constant.combine(left, right.removeDuplicates()).observe { [counted] _ in counted.pass(()) }
          .cleaned(by: dusts)
      }
      source.value = 2
    }
    #expect(tally.count == 1)

    dusts.clean()

    #expect(tally.count == 0)
  }

  @Test func unobservedAgainItComputesNoMoreAndWorksOnceMore() {
    let source = Variable(1)
    let count = Tally()
    let doubled = source.map { value in
      count.add()
      return value * 2
    }
    let log = Log<Int>()
    doubled.observe { log.append($0) }.clean()

    source.value = 2
    #expect(count.value == 1)
    let dust = doubled.observe { log.append($0) }
    source.value = 3

    #expect(log.entries == [2, 4, 6])
    #expect(count.value == 3)
    dust.clean()
  }

  @Test func observerThatCleansItselfInsideItsCallEndsTheSubscription() {
    let tally = Counted.Tally()
    let source = Variable(0)
    let dusts = DustBuster()
    let log = Log<Int>()
    do {
      let counted = Counted(tally)
      source.map { [counted] in counted.pass($0) }.observe { value in
        log.append(value)
        if value == 1 { dusts.clean() }
      }.cleaned(by: dusts)
    }

    source.value = 1
    source.value = 2

    #expect(log.entries == [0, 1])
    #expect(tally.count == 0)
  }

  @Test func sourceKeepsNoStore() {
    let dispatcher = Dispatcher()
    let log = Log<Int>()
    weak var store: CounterStore?
    let dust = withDispatcher(dispatcher) {
      let made = CounterStore.instantiate()
      store = made
      return made.count.map { $0 + 1 }.observe { log.append($0) }
    }

    #expect(store == nil)
    dust.clean()
  }

  @Test func setInsideATransformIsToldAfterwards() {
    let source = Variable(0)
    let log = Log<Int>()
    let dust = source.map { value in
      if value == 1 { source.value = 2 }
      return value
    }.observe { log.append($0) }

    source.value = 1

    #expect(log.entries == [0, 1, 2])
    dust.clean()
  }

  @Test func deriveFromADerivedConstantThatIsObservedAndInTheMidstOfATelling() {
    let source = Variable(1)
    let doubled = source.map { $0 * 2 }
    let log = Log<String>()
    let dusts = DustBuster()
    doubled.observe { value in
      log.append("doubled \(value)")
      if value == 4 {
        source.value = 3
        doubled.map { $0 + 1 }.observe { log.append("more \($0)") }.cleaned(by: dusts)
      }
    }.cleaned(by: dusts)

    source.value = 2
    source.value = 4

    #expect(
      log.entries
        == ["doubled 2", "doubled 4", "more 7", "doubled 6", "doubled 8", "more 9"]
    )
  }
}

final class Tally: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add() { count.add(1, ordering: .relaxed) }
}

extension Counted {
  fileprivate func pass<Value>(_ value: Value) -> Value { value }
}
