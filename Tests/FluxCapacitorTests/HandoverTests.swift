import FluxCapacitor
import Foundation
import Synchronization
import Testing

/// A thread that delivers the changes of other threads returns even if the other threads keep writing.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct HandoverTests {
  private let variable = Variable(0)
  private let tireless = Tireless()
  private let dusts = DustBuster()

  @Test(arguments: [false, true])
  func settingAVariableReturnsWhileAnotherThreadKeepsWritingTheVariable(isDerived: Bool) {
    let constant = isDerived ? Constant(variable).map { $0 } : Constant(variable)
    constant.observe(ignoreFirst: true, changes: tireless.observe).cleaned(by: dusts)
    let writing = tireless.write { variable.value = $0 }

    variable.value = 0

    tireless.expectToBeLeft(by: writing)
  }

  @Test(arguments: [false, true])
  func transactionReturnsWhileAnotherThreadKeepsWritingTheSameVariable(isDerived: Bool) {
    let constant = isDerived ? Constant(variable).map { $0 } : Constant(variable)
    constant.observe(ignoreFirst: true, changes: tireless.observe).cleaned(by: dusts)
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

  @Test(arguments: [false, true])
  func observeReturnsWhileAnotherThreadKeepsWritingTheVariable(isDerived: Bool) {
    let constant = isDerived ? Constant(variable).map { $0 } : Constant(variable)
    let writing = tireless.write { variable.value = $0 }

    constant.observe(changes: tireless.observe).cleaned(by: dusts)

    tireless.expectToBeLeft(by: writing)
  }
}

/// A writing thread that never lets the delivering thread catch up.
///
/// The writing thread stops when the delivering thread has returned.
final class Tireless: Sendable {
  // On a busy machine, the writing thread has written a million numbers before the other thread runs again.
  private let limit = 20_000_000
  private let observer = ExclusiveObserver()
  private let teller = ObjectIdentifier.currentThread
  private let isObserved = Gate()
  private let isBack = Atomic(false)
  private let written = Atomic(0)
  private let told = Atomic(0)

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
    for number in 1...limit where !isBack.load(ordering: .acquiring) {
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
    // Waiting for two more writes ensures that at least one write begins during this call. So a change is
    // pending when `observe(_:)` returns.
    let next = written.load(ordering: .acquiring) + 2
    guard next <= limit else { return }
    while written.load(ordering: .acquiring) < next { sched_yield() }
  }

  func expectToBeLeft(by writing: Beside) {
    leave()
    writing.join()
    let last = written.load(ordering: .acquiring)
    #expect(last < limit)
    observer.expectConsecutive(through: last)
  }
}
