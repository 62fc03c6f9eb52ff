import FluxCapacitor
import FluxCapacitorTestSupport
import Synchronization
import Testing

/// Races on derived constants.
///
/// If THOROUGH is set, each test performs at least 200,000 operations, including computations.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct DerivedStressTests {
  private let observer = ExclusiveObserver()
  private let source = Variable(0)
  private let dispatcher = Dispatcher()
  private let dusts = DustBuster()

  @Test func combinedConstantDeliversEachConcurrentTransactionOnceWithConsistentValues() async {
    let variables = (0..<3).map { _ in Variable(0) }
    let sum = Constant.combine(
      Constant(variables[0]),
      variables[1].map { $0 * 2 },
      Constant(variables[2])
    )
    let difference = Constant.combine(sum.map { $0.0 + $0.1 + $0.2 }, Constant(variables[0]))
    difference.observe { [observer] sum, first in
      #expect(sum == 4 * first)
      observer.receive(first)
    }.cleaned(by: dusts)

    await inParallel(8) { _ in
      for _ in 0..<stress(9_000) {
        dispatcher.transaction { for variable in variables { variable.value += 1 } }
      }
    }

    observer.expectConsecutive(through: stress(72_000))
  }

  /// The thread sanitizer checks the list of the constants that depend on `sum`. A delivering thread
  /// reads this list while another thread adds a constant to the list.
  @Test func derivedConstantHasTheLastValueAfterObserversSubscribeDuringDeliveries() async {
    let (first, second) = (Variable(0), Variable(0))
    let sum = Constant.combine(Constant(first), Constant(second)).map { $0.0 &+ $0.1 }
    let dusts = [sum.map { $0 }.observe { _ in }, sum.observe { _ in }]
    let isOver = Atomic(false)

    await inParallel(4) { thread in
      if thread == 0 {
        for _ in 0..<stress(50_000) {
          sum.map { $0 &+ 1 }.observe(ignoreFirst: true) { _ in }.clean()
        }
        isOver.store(true, ordering: .relaxed)
      }
      while !isOver.load(ordering: .relaxed) {
        dispatcher.transaction {
          first.value &+= 1
          if thread.isMultiple(of: 2) { second.value &+= 1 }
        }
      }
    }

    #expect(sum.value == first.value &+ second.value)
    withExtendedLifetime(dusts) {}
  }

  @Test func diamondOfDerivedConstantsDeliversEachConcurrentWriteOnceAndInOrder() async {
    let left = source.map { $0 + 1 }
    let right = source.map { $0 - 1 }
    let count = Tally()
    let both = Constant.combine(left, right).map { left, right in
      count.add()
      #expect(left - right == 2)
      return right + 1
    }
    both.observe { [observer] in observer.receive($0) }.cleaned(by: dusts)

    await inParallel(8) { _ in
      for _ in 0..<stress(12_500) { source.value += 1 }
    }

    observer.expectConsecutive(through: stress(100_000))
    #expect(count.value == stress(100_000) + 1)
  }

  @Test func combinedConstantEndsWithTheLastValuesOfItsSourcesAfterConcurrentWrites() async {
    let variables = (0..<4).map { _ in Variable(0) }
    let all = Constant.combine(
      Constant(variables[0]),
      variables[1].removeDuplicates(),
      variables[2].map { $0 },
      Constant(variables[3])
    )
    let latest = Log<[Int]>()
    all.observe { values in
      latest.removeAll()
      latest.append([values.0, values.1, values.2, values.3])
    }.cleaned(by: dusts)
    let dispatchers = [Dispatcher(), Dispatcher()]

    await inParallel(8) { thread in
      for round in 0..<stress(18_000) {
        if thread.isMultiple(of: 2) {
          dispatchers[thread / 2 % 2].transaction {
            variables[thread % 4].value = round
            variables[(thread + round) % 4].value = round
          }
        } else {
          variables[(thread + round) % 4].value = thread * round
        }
      }
    }

    #expect(latest.entries == [variables.map(\.value)])
    #expect(latest.entries == [[all.value.0, all.value.1, all.value.2, all.value.3]])
  }

  @Test func readersOfADiamondNeverSeeAMixOfOldAndNewValuesDuringConcurrentWrites() async {
    let other = Variable(0)
    let pair = Constant.combine(source.map { $0 * 2 }, source.map { $0 * 3 }, Constant(other))

    await inParallel(8) { thread in
      for _ in 0..<stress(25_000) {
        switch thread {
        case 0, 1: source.value += 1
        case 2: other.value += 1
        case 3:
          pair.observe { #expect($0.0 * 3 == $0.1 * 2) }.clean()
        default:
          let (doubled, tripled, _) = pair.value
          #expect(doubled * 3 == tripled * 2)
        }
      }
    }

    #expect(pair.value == (stress(100_000), stress(150_000), stress(25_000)))
  }

  @Test
  func observersThatSubscribeDuringTransactionsReceiveEachLaterTransactionAsOneChange() async {
    let variables = [Variable(0), Variable(0)]
    let both = Constant.combine(Constant(variables[0]), variables[1].map { $0 })
    let observers = (0..<20).map { _ in ExclusiveObserver() }
    let subscribing = Subscribing(2)

    await inParallel(4) { thread in
      if thread < 2 {
        while subscribing.isUnderWay {
          dispatcher.transaction { for variable in variables { variable.value += 1 } }
        }
        return
      }
      for round in 0..<stress(5_000) {
        let (kept, rest) = round.quotientAndRemainder(dividingBy: stress(500))
        let observer = rest == 0 ? observers[kept * 2 + thread - 2] : nil
        // The first value could be from the middle of a transaction, so the observer ignores this value.
        let dust = both.observe(ignoreFirst: true) { first, second in
          #expect(first == second)
          observer?.receive(first)
        }
        if observer == nil { dust.clean() } else { dust.cleaned(by: dusts) }
      }
      subscribing.end()
    }

    dispatcher.transaction { for variable in variables { variable.value += 1 } }
    for observer in observers { observer.expectConsecutive(through: variables[0].value) }
    dusts.clean()
  }

  @Test func derivedConstantsAreFreedAfterObserversSubscribeAndCleanDuringWrites() async {
    let tally = Tally()
    // The log holds the only references to the constants, because a thread can end before
    // the system releases the thread's closure.
    let constants = Log<(base: Constant<Int>, top: Constant<(Int, Int)>)>()
    do {
      let counted = Counted(tally)
      let base = source.map { [counted] value in withExtendedLifetime(counted) { value } }
      constants.append((base, Constant.combine(base, base.map { -$0 })))
    }

    await inParallel(8) { thread in
      let (base, top) = constants.entries[0]
      for round in 0..<stress(8_000) {
        if thread < 2 {
          source.value = round
        } else {
          let dust = top.observe { #expect($0.0 == -$0.1) }
          if thread < 5 { base.observe(ignoreFirst: true) { _ in }.clean() }
          dust.clean()
        }
      }
    }
    constants.removeAll()

    #expect(tally.value == 0)
  }
}

private final class Subscribing: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) { left = Atomic(count) }

  var isUnderWay: Bool { left.load(ordering: .acquiring) > 0 }

  func end() { left.subtract(1, ordering: .releasing) }
}
