import FluxCapacitor
import FluxCapacitorTestSupport
import Foundation
import Synchronization
import Testing

/// Transactions of several dispatchers that write the sources of one combined constant at the same time.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct MixedTransactionsStressTests {
  private let dusts = DustBuster()

  @Test func nestedCombinedConstantsDeliverConcurrentTransactionsOfThreeDispatchersUnmixed() async {
    let variables = (0..<6).map { _ in Variable(0) }
    let count = Tally()
    // Each dispatcher writes two of the variables. Three nested constants combine all six variables.
    let inner = Constant.combine(Constant(variables[2]), variables[5].map { $0 })
    let middle = Constant.combine(Constant(variables[1]), inner, variables[4].map { $0 })
    let outer = Constant.combine(Constant(variables[0]), middle, Constant(variables[3]))
    let last = Locked([0, 0, 0])
    outer.observe { first, middle, fourth in
      count.add()
      #expect(first == middle.1.0)
      #expect(middle.0 == middle.2)
      #expect(fourth == middle.1.1)
      last.set([first, middle.0, fourth])
    }.cleaned(by: dusts)

    await inParallel(3) { thread in
      let dispatcher = Dispatcher()
      let pair = [(0, 2), (4, 1), (5, 3)][thread]
      for number in 1...stress(12_000) {
        dispatcher.transaction {
          variables[pair.0].value = number
          variables[pair.1].value = number
        }
      }
    }

    #expect(last.value == [stress(12_000), stress(12_000), stress(12_000)])
    #expect(count.value <= stress(36_000) + 1)
  }

  @Test func nestedCombinedConstantsNeverMixValuesOfCompetingTransactions() async {
    let variables = (0..<3).map { _ in Variable(0) }
    let pairs = Constant.combine(
      Constant.combine(Constant(variables[0]), Constant(variables[1])),
      Constant.combine(variables[1].map { $0 }, Constant(variables[2]))
    )
    let states = Locked([[0, 0]])
    let isMixed = Locked(false)
    pairs.observe { first, second in
      if first.1 != second.0 { isMixed.set(true) }
      states.set([[first.0, second.1]])
    }.cleaned(by: dusts)

    await inParallel(4) { thread in
      let dispatcher = Dispatcher()
      for round in 0..<stress(10_000) {
        dispatcher.transaction {
          for index in 0..<3 { variables[(index + thread) % 3].value = round * 4 + thread }
        }
      }
    }

    #expect(!isMixed.value)
    #expect(states.value == [[variables[0].value, variables[2].value]])
  }

  @Test func observerThatSubscribesDuringAnotherThreadsTransactionEndsWithTheLastValue() async {
    let list = Variable([0, 1, 2])
    let count = list.map(\.count).removeDuplicates()
    count.observe { _ in }.cleaned(by: dusts)
    let dispatcher = Dispatcher()
    let ended = Atomic(0)
    let rounds = stress(20_000)

    await inParallel(4) { thread in
      if thread == 0 {
        for round in 1...rounds {
          dispatcher.transaction {
            list.value = []
            for number in 0..<3 { list.value.append(number) }
          }
          ended.store(round, ordering: .releasing)
        }
        return
      }
      while ended.load(ordering: .acquiring) < rounds {
        let joined = (0..<100).map { _ in
          let last = Locked(0)
          return (last: last, dust: count.observe { last.set($0) })
        }
        // Wait for two more transactions to end, because the observers might have subscribed during the
        // first of these transactions.
        let next = min(ended.load(ordering: .acquiring) + 2, rounds)
        while ended.load(ordering: .acquiring) < next { sched_yield() }
        dispatcher.read { for (last, _) in joined { #expect(last.value == 3) } }
        for (_, dust) in joined { dust.clean() }
      }
    }
  }
}
