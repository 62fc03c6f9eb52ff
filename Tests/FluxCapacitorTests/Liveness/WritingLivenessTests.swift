import FluxCapacitor
import FluxCapacitorTestSupport
import Foundation
import Synchronization
import Testing

/// V9: each write, `clean()` and `invoke` returns while other threads write without a pause.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct WritingLivenessTests {
  private let dusts = DustBuster()

  /// Two threads write until a third thread has ended. Each of their changes comes from an observer, so these
  /// threads deliver another variable whenever they write.
  @Test func writeReturnsWhileObserversOnOtherThreadsKeepWritingTheSameVariable() async {
    let (variable, calls) = (Variable(0), Tally())
    let triggers = [Variable(0), Variable(0)]
    variable.observe(ignoreFirst: true) { _ in
      calls.add()
      spin(300)
    }
    .cleaned(by: dusts)
    for trigger in triggers {
      trigger.observe(ignoreFirst: true) { variable.value = $0 }.cleaned(by: dusts)
    }
    let isOver = Atomic(false)

    await inParallel(3) { thread in
      if thread < 2 {
        var number = 0
        while !isOver.load(ordering: .relaxed) {
          number += 1
          triggers[thread].value = number
        }
      } else {
        for number in 0..<stress(5_000) { variable.value = number }
        isOver.store(true, ordering: .relaxed)
      }
    }

    #expect(calls.value >= stress(5_000))
  }

  @Test(arguments: [false, true])
  func cleanReturnsWhileOtherThreadsWriteWithoutAPause(isDerived: Bool) async {
    let variable = Variable(0)
    let constant = isDerived ? variable.map { $0 }.removeDuplicates() : Constant(variable)
    let firsts = Tally()
    let isOver = Atomic(0)

    await inParallel(3) { thread in
      if thread == 0 {
        while isOver.load(ordering: .relaxed) < 2 { variable.value += 1 }
      } else {
        for _ in 0..<stress(50_000) {
          let dust = constant.observe { _ in firsts.add() }
          dust.clean()
        }
        isOver.add(1, ordering: .relaxed)
      }
    }

    #expect(firsts.value >= 2 * stress(50_000))
    #expect(variable.observerCount == 0)
  }

  /// The bodies take longer than the pauses between them, so the locks of all variables are almost never free at once.
  @Test(arguments: ["commit", "read", "observe"], [false, true])
  func useOfSeveralVariablesReturnsWhileTheirLocksAreTakenAgainAndAgain(
    use: String,
    isNested: Bool
  ) async {
    let others = (0..<3).map { _ in Variable(0) }
    let variables = (0..<3).map { _ in Variable(0) }
    variables.forEach { $0.observe { _ in }.cleaned(by: dusts) }
    let both = Constant.combine(Constant.combine(variables[0], variables[1]), variables[2])
    let isOver = Atomic(false)
    let returned = Tally()

    await inParallel(4) { thread in
      if thread < 3 {
        for _ in 0..<20_000 where !isOver.load(ordering: .relaxed) {
          func add() {
            variables[thread].modify {
              $0 += 1
              spin(20_000)
            }
          }
          if isNested { others[thread].modify { _ in add() } } else { add() }
        }
        isOver.store(true, ordering: .relaxed)
      } else {
        switch use {
        case "commit": Dispatcher().transaction { for variable in variables { variable.value = 1 } }
        case "read": _ = both.value
        default: both.observe { _ in }.clean()
        }
        if !isOver.exchange(true, ordering: .relaxed) { returned.add() }
      }
    }

    #expect(returned.value == 1)
  }

  /// A thread whose transaction writes two variables has to lock both of them at its end.
  @Test func transactionReturnsWhileOtherThreadsChangeItsVariablesInPlaceWithoutAPause() async {
    let (left, right) = (Variable(0), Variable(0))
    let calls = Tally()
    let isOver = Atomic(false)
    Constant.combine(left, right).observe(ignoreFirst: true) { _, _ in calls.add() }
      .cleaned(by: dusts)
    let dispatcher = Dispatcher()

    await inParallel(3) { thread in
      if thread < 2 {
        while !isOver.load(ordering: .relaxed) {
          (thread == 0 ? left : right).modify {
            $0 += 1
            spin(1_000)
          }
        }
      } else {
        for _ in 0..<stress(1_000) {
          dispatcher.transaction {
            left.value += 1
            right.value += 1
          }
        }
        isOver.store(true, ordering: .relaxed)
      }
    }

    #expect(calls.value >= stress(1_000))
  }

  /// Bodies of mutations that nest on two threads, each for a variable of its own and a shared one.
  @Test func observersAreCalledWhileMutationsOverlapWithoutAPause() async {
    let (left, right, shared) = (Variable(0), Variable(0), Variable(0))
    let calls = Calls()
    for (name, variable) in [("left", left), ("right", right), ("shared", shared)] {
      variable.observe(ignoreFirst: true) { _ in calls.add(name) }.cleaned(by: dusts)
    }
    let rounds = stress(20_000)

    await inParallel(2) { thread in
      for _ in 0..<rounds {
        (thread == 0 ? left : right).modify {
          $0 += 1
          shared.value += 1
          spin(500)
        }
      }
    }

    #expect(calls["left"] == rounds)
    #expect(calls["right"] == rounds)
    #expect(calls["shared"] >= rounds)
    #expect(shared.value == 2 * rounds)
  }
}

/// Keeps the processor busy.
private func spin(_ steps: Int) {
  let sum = Atomic(0)
  for step in 0..<steps { sum.add(step, ordering: .relaxed) }
}
