import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

struct CombineTests {
  @Test func combinedConstantDeliversATransactionOnItsSourcesAsOneChange() {
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

  @Test func combineAcceptsVariablesAndConstantsInAnyMix() {
    let (first, second, third) = (Variable(1), Variable("a"), Variable(true))

    let two = Constant.combine(first, Constant(second))
    let three = Constant.combine(Constant(first), second, third)
    second.value = "b"

    #expect(two.value == (1, "b"))
    #expect(three.value == (1, "b", true))
  }

  @Test func removeDuplicatesSkipsEqualTuplesOfTwoToSixElements() {
    let variable = Variable(0)
    let log = Log<Int>()
    let dusts = DustBuster()
    let parity = variable.map { $0 % 2 }
    let (p, q) = (parity, variable.map { _ in "a" })

    Constant.combine(p, q).removeDuplicates().observe { _ in log.append(2) }.cleaned(by: dusts)
    Constant.combine(p, q, p).removeDuplicates().observe { _ in log.append(3) }
      .cleaned(by: dusts)
    Constant.combine(p, q, p, q).removeDuplicates().observe { _ in log.append(4) }
      .cleaned(by: dusts)
    Constant.combine(p, q, p, q, p).removeDuplicates().observe { _ in log.append(5) }
      .cleaned(by: dusts)
    Constant.combine(p, q, p, q, q, p).removeDuplicates().observe { _ in log.append(6) }
      .cleaned(by: dusts)
    variable.value = 2
    let afterEqualValues = log.entries
    variable.value = 3

    #expect(afterEqualValues == [2, 3, 4, 5, 6])
    #expect(log.entries.sorted() == [2, 2, 3, 3, 4, 4, 5, 5, 6, 6])
  }

  @Test func diamondOfDerivedConstantsDeliversOneConsistentValuePerChange() {
    let source = Variable(1)
    let count = Tally()
    let doubled = source.map { $0 * 2 }
    let tripled = source.map { $0 * 3 }
    let sums = Constant.combine(doubled, tripled).map(counting: count) { $0 + $1 }
    let all = Constant.combine(Constant(source), sums, doubled)
    let log = Log<[Int]>()
    let dust = all.observe { log.append([$0.0, $0.1, $0.2]) }

    source.value = 2
    source.value = 3

    #expect(log.entries == [[1, 5, 2], [2, 10, 4], [3, 15, 6]])
    #expect(count.value == 3)
    dust.clean()
  }

  @Test func readOfACombinedConstantDoesNotRecomputeAnObservedDerivedConstant() {
    let (number, other) = (Variable(1), Variable(0))
    let count = Tally()
    let sum = Constant.combine(number.map { $0 * 2 }, number.map { $0 * 3 })
      .map(counting: count) { $0 + $1 }
    let dust = sum.observe { _ in }
    number.value = 2
    let computed = count.value

    #expect(Constant.combine(sum, Constant(other)).value == (10, 0))

    #expect(count.value == computed)
    dust.clean()
  }

  @Test func derivedValueReadDuringAnEarlierDeliveryIsNotComputedAgainForItsOwnDelivery() {
    let (left, right) = (Variable(0), Variable(0))
    let count = Tally()
    let both = Constant.combine(Constant(left), Constant(right))
    let sum = both.map(counting: count) { $0.0 * 10 + $0.1 }
    let log = Log<String>()
    let dusts = DustBuster()
    both.observe(ignoreFirst: true) { pair in
      guard pair.1 == 0 else { return }
      right.value = 1
      log.append("read \(sum.value)")
    }
    .cleaned(by: dusts)
    sum.observe(ignoreFirst: true) { log.append("sum \($0)") }.cleaned(by: dusts)

    left.value = 1

    #expect(log.entries == ["read 11", "sum 10", "sum 11"])
    #expect(count.value == 2)
  }

  @Test func thirtyNestedDiamondsComputeEachCombinedConstantOncePerChange() {
    let source = Variable(1)
    let count = Tally()
    var rung = Constant(source)
    for _ in 0..<30 {
      let left = rung.map { $0 &+ 1 }
      let right = rung.map { $0 &- 1 }
      rung = Constant.combine(left, right).map(counting: count) { left, right in left &+ right }
    }
    let recorder = ValueRecorder(rung)

    source.value = 2

    #expect(recorder.values == [1 << 30, 2 << 30])
    #expect(count.value == 60)
  }

  @Test func combinedConstantDeliversAWriteInsideAMutationTogetherWithTheMutation() {
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

  @Test func combinedConstantDeliversEachOfTwoDispatchersTransactionsAsOneChange() {
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

  @Test func combinedConstantEndsWithTheLastValuesWhenAnotherThreadWritesDuringATransaction() {
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

  @Test(arguments: [false, true])
  func observerThatSubscribesDuringAnotherThreadsTransactionReceivesTheCommittedValues(
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

  @Test func observerThatJoinsDuringAnOpenTransactionReceivesTheSameValuesAsTheOthers() {
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
    #expect(new.entries == [0, 2])
  }

  /// The observer subscribes while `number` delivers a value that is equal to the observer's first value.
  @Test func observerThatSubscribesToACombinedConstantDuringADeliveryReceivesEachValueOnce() {
    let number = Variable(0)
    let one = Constant.combine(Constant(number).removeDuplicates())
    let log = Log<Int>()
    let dusts = DustBuster()
    one.observe { _ in }.cleaned(by: dusts)
    let joining = number.observe(ignoreFirst: true) { _ in
      if log.entries.isEmpty { one.map { $0 }.observe { log.append($0) }.cleaned(by: dusts) }
    }
    joining.cleaned(by: dusts)

    number.value = 0
    number.value = 0
    number.value = 1

    #expect(log.entries == [0, 1])
  }
}
