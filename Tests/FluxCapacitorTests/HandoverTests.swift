import FluxCapacitor
import Foundation
import Synchronization
import Testing

/// A thread that delivers the changes of other threads returns, even if those threads never stop writing.
@Suite(.oneAtATime, .timeLimit(.minutes(10)))
struct HandoverTests {
  private let variable = Variable(0)
  private let tireless = Tireless()

  @Test(arguments: [false, true])
  func settingAVariableReturnsWhileAnotherThreadKeepsWritingTheVariable(isDerived: Bool) {
    let constant = isDerived ? Constant(variable).map { $0 } : Constant(variable)
    let dust = constant.observe(ignoreFirst: true, changes: tireless.observe)
    let writing = tireless.write { variable.value = $0 }

    variable.value = 0

    tireless.expectToBeLeft(by: writing)
    dust.clean()
  }

  @Test(arguments: [false, true])
  func transactionReturnsWhileAnotherThreadKeepsWritingTheSameVariable(isDerived: Bool) {
    let constant = isDerived ? Constant(variable).map { $0 } : Constant(variable)
    let dust = constant.observe(ignoreFirst: true, changes: tireless.observe)
    let (dispatcher, other) = (Dispatcher(), Dispatcher())
    let writing = tireless.write { number in other.transaction { variable.value = number } }

    dispatcher.transaction { variable.value = 0 }

    tireless.expectToBeLeft(by: writing)
    dust.clean()
  }

  /// A thread may write inside an observer and wait there for a delivery by another thread. It doesn't
  /// have to take over that delivery.
  @Test func writerInsideAnObserverLeavesTheDeliveryOfItsWritesToTheDeliveringThread() {
    let inside = Variable(0)
    let dust = variable.observe(ignoreFirst: true, changes: tireless.observe)
    let isTold = Atomic(false)
    let waiting = variable.observe(ignoreFirst: true) { [tireless] in
      guard $0 == 2_000 else { return }
      isTold.store(true, ordering: .relaxed)
      tireless.leave()
    }
    let observer = inside.observe(ignoreFirst: true) { [variable, tireless] _ in
      tireless.writeAll { variable.value = $0 }
      let wasTold = isTold.load(ordering: .relaxed)
      #expect(wasTold)
    }
    let writing = Beside { [tireless] in
      tireless.waitForZero()
      inside.value = 1
    }

    variable.value = 0

    writing.join()
    waiting.clean()
    observer.clean()
    dust.clean()
  }

  @Test(arguments: [false, true])
  func observeReturnsWhileAnotherThreadKeepsWritingTheVariable(isDerived: Bool) {
    let constant = isDerived ? Constant(variable).map { $0 } : Constant(variable)
    let writing = tireless.write { variable.value = $0 }

    let dust = constant.observe(changes: tireless.observe)

    tireless.expectToBeLeft(by: writing)
    dust.clean()
  }

  @Test func sinkSendReturnsWhileAnotherThreadKeepsSendingEvents() {
    let sink = Sink<Int>()
    let dust = Signal(sink).observe(changes: tireless.observe)
    let writing = tireless.write { sink.send($0) }

    sink.send(0)

    tireless.expectToBeLeft(by: writing)
    dust.clean()
  }
}

/// A thread that writes until another thread returns. The other thread delivers the writes and never
/// catches up.
private final class Tireless: Sendable {
  private let limit = 1_000_000
  private let observer = ExclusiveObserver()
  private let teller = ObjectIdentifier.currentThread
  private let isObserved = Gate()
  private let isBack = Atomic(false)
  private let written = Atomic(0)
  private let told = Atomic(0)

  /// Writes consecutive numbers as soon as a zero has been delivered.
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
      // The delivering thread needs the processor too.
      if told.load(ordering: .relaxed) + 100 < number { sched_yield() }
    }
  }

  /// Lets the writer end.
  func leave() { isBack.store(true, ordering: .releasing) }

  func observe(_ number: Int) {
    observer.receive(number)
    told.store(number, ordering: .relaxed)
    if number == 0 { isObserved.open() }
    if ObjectIdentifier.currentThread != teller || isBack.load(ordering: .acquiring) { return }
    // The next write may have begun before this call, but the write after it has not. So when this call
    // returns, a change that was made meanwhile waits for its delivery.
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
