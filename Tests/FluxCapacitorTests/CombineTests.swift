import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

struct CombineTests {
  private let log = Log<[Int]>()
  private let dusts = DustBuster()

  @Test func combinedConstantDeliversATransactionOnItsSourcesAsOneChange() {
    let first = Variable(1)
    let second = Variable("a")
    let third = Variable(true)
    let log = Log<String>()
    let combined = Constant.combine(Constant(first), Constant(second), Constant(third))
    combined.observe { log.append("\($0.0)\($0.1)\($0.2)") }.cleaned(by: dusts)

    Dispatcher().transaction {
      first.value = 2
      third.value = false
      first.value = 3
    }
    second.value = "b"

    #expect(log.entries == ["1atrue", "3afalse", "3bfalse"])
    #expect(combined.value == (3, "b", false) as (Int, String, Bool))
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
    all.observe { [log] in log.append([$0.0, $0.1, $0.2]) }.cleaned(by: dusts)

    source.value = 2
    source.value = 3

    #expect(log.entries == [[1, 5, 2], [2, 10, 4], [3, 15, 6]])
    #expect(count.value == 3)
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

  @Test func observerThatWritesASourceAgainAndAgainDoesNotDelayOtherVariables() {
    let (number, other, variable) = (Variable(0), Variable(0), Variable(0))
    Constant.combine(number, other).observe(ignoreFirst: true) { [log] new, _ in
      log.append([new])
      if new < 100 { number.value = new + 1 }
      if new == 50 { variable.value = new }
    }.cleaned(by: dusts)
    variable.observe(ignoreFirst: true) { [log] in log.append([-$0]) }.cleaned(by: dusts)

    number.value = 1

    #expect(log.entries == (1...51).map { [$0] } + [[-50]] + (52...100).map { [$0] })
  }

  @Test func combinedConstantDeliversAnotherThreadsWriteWhileAnObserverThatWroteASourceStillRuns() {
    let (first, second, trigger) = (Variable(0), Variable(0), Variable(0))
    Constant.combine(first, second).observe(ignoreFirst: true) { [log] in log.append([$0, $1]) }
      .cleaned(by: dusts)
    trigger.observe(ignoreFirst: true) { [log] _ in
      first.value = 1
      Beside { second.value = 2 }.join()
      #expect(log.entries == [[1, 0], [1, 2]])
    }.cleaned(by: dusts)

    trigger.value = 1

    #expect(log.entries == [[1, 0], [1, 2]])
  }
}
