import FluxCapacitor
import FluxCapacitorTestSupport
import Foundation
import Synchronization
import Testing

/// A thread that delivers the changes of other threads returns even if the other threads keep writing.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct HandoverTests {
  private let variable = Variable(0)
  private let tireless = Tireless()
  private let dusts = DustBuster()

  /// A constant that changes with the variable.
  enum Source: CaseIterable {
    case variable, map, combination, combinationOfACombination

    func constant(of variable: Variable<Int>) -> Constant<Int> {
      switch self {
      case .variable: Constant(variable)
      case .map: Constant(variable).map { $0 }
      case .combination: Constant.combine(Constant(variable), Constant(Variable(0))).map { $0.0 }
      case .combinationOfACombination:
        Constant.combine(Constant(Variable(0)), Source.combination.constant(of: variable))
          .map { $0.1 }
      }
    }
  }

  @Test(arguments: Source.allCases)
  func settingAVariableReturnsWhileAnotherThreadKeepsWritingTheVariable(source: Source) {
    for _ in 0..<stress(250) {
      let tireless = Tireless()
      let dust = source.constant(of: variable)
        .observe(ignoreFirst: true, changes: tireless.observe)
      let writing = tireless.write { variable.value = $0 }

      variable.value = 0

      tireless.expectToBeLeft(by: writing)
      dust.clean()
    }
  }

  @Test(arguments: Source.allCases)
  func transactionReturnsWhileAnotherThreadKeepsWritingTheSameVariable(source: Source) {
    source.constant(of: variable).observe(ignoreFirst: true, changes: tireless.observe)
      .cleaned(by: dusts)
    let (dispatcher, other) = (Dispatcher(), Dispatcher())
    let writing = tireless.write { number in other.transaction { variable.value = number } }

    dispatcher.transaction { variable.value = 0 }

    tireless.expectToBeLeft(by: writing)
  }

  /// A thread inside an observer writes numbers, and another thread delivers these numbers.
  @Test func writerInsideAnObserverLeavesTheDeliveryOfItsWritesToTheDeliveringThread() {
    let inside = Variable(0)
    variable.observe(ignoreFirst: true, changes: tireless.observe).cleaned(by: dusts)
    let isTold = Atomic(false)
    variable.observe(ignoreFirst: true) { [tireless] in
      guard $0 == 2_000 else { return }
      isTold.store(true, ordering: .relaxed)
      tireless.leave()
    }.cleaned(by: dusts)
    inside.observe(ignoreFirst: true) { [variable, tireless] _ in
      tireless.writeAll { variable.value = $0 }
      let wasTold = isTold.load(ordering: .relaxed)
      #expect(wasTold)
    }.cleaned(by: dusts)
    let writing = Beside { [tireless] in
      tireless.waitForZero()
      inside.value = 1
    }

    variable.value = 0

    writing.join()
  }

  @Test(arguments: Source.allCases)
  func observeReturnsWhileAnotherThreadKeepsWritingTheVariable(source: Source) {
    let constant = source.constant(of: variable)
    let writing = tireless.write { variable.value = $0 }

    constant.observe(changes: tireless.observe).cleaned(by: dusts)

    tireless.expectToBeLeft(by: writing)
  }
}

/// A writing thread that never lets the delivering thread catch up.
///
/// The writing thread stops when the delivering thread has returned.
final class Tireless: Sendable {
  // Another thread usually takes over the delivery after 300 calls.
  private let mostCalls = 20_000
  private let observer = ExclusiveObserver()
  private let teller = ObjectIdentifier.currentThread
  private let isObserved = Gate()
  private let isBack = Atomic(false)
  private let written = Atomic(0)
  private let told = Atomic(0)
  private let calls = Atomic(0)

  /// Starts a thread that writes consecutive numbers after a zero has been delivered.
  func write(_ body: @escaping @Sendable (Int) -> Void) -> Beside {
    Beside { [self] in
      waitForZero()
      writeAll(body)
    }
  }

  func waitForZero() { isObserved.wait() }

  /// Writes consecutive numbers until the delivering thread has returned.
  func writeAll(_ body: (Int) -> Void) {
    var number = 0
    while !isBack.load(ordering: .acquiring) {
      number += 1
      body(number)
      written.store(number, ordering: .releasing)
      // The writing thread yields the processor to the delivering thread.
      if told.load(ordering: .relaxed) + 100 < number { sched_yield() }
    }
  }

  /// Tells the writing thread to stop.
  func leave() { isBack.store(true, ordering: .releasing) }

  func observe(_ number: Int) {
    observer.receive(number)
    told.store(number, ordering: .relaxed)
    if number == 0 { isObserved.open() }
    if ObjectIdentifier.currentThread != teller || isBack.load(ordering: .acquiring) { return }
    if calls.add(1, ordering: .relaxed).newValue == mostCalls { return leave() }
    // Waiting for two more writes ensures that at least one write begins during this call. So a change is
    // pending when `observe(_:)` returns.
    let next = written.load(ordering: .acquiring) + 2
    while written.load(ordering: .acquiring) < next, !isBack.load(ordering: .acquiring) {
      sched_yield()
    }
  }

  func expectToBeLeft(by writing: Beside) {
    leave()
    writing.join()
    #expect(calls.load(ordering: .relaxed) < mostCalls)
    observer.expectConsecutive(through: written.load(ordering: .acquiring))
  }
}
