import FluxCapacitor
import Foundation
import Synchronization
import Testing

/// Who has come to tell what others change gets away, even if they don't stop changing.
@Suite(.oneAtATime, .timeLimit(.minutes(10)))
struct ReliefTests {
  private let variable = Variable(0)
  private let tireless = Tireless()

  @Test(arguments: [false, true]) func whoSetsComesBack(isDerived: Bool) {
    let constant = isDerived ? Constant(variable).map { $0 } : Constant(variable)
    let dust = constant.observe(ignoreFirst: true, changes: tireless.observe)
    let writing = tireless.write { variable.value = $0 }

    variable.value = 0

    tireless.expectToBeLeft(by: writing)
    dust.clean()
  }

  @Test(arguments: [false, true]) func whoDispatchesComesBack(isDerived: Bool) {
    let constant = isDerived ? Constant(variable).map { $0 } : Constant(variable)
    let dust = constant.observe(ignoreFirst: true, changes: tireless.observe)
    let (dispatcher, other) = (Dispatcher(), Dispatcher())
    let writing = tireless.write { number in other.transaction { variable.value = number } }

    dispatcher.transaction { variable.value = 0 }

    tireless.expectToBeLeft(by: writing)
    dust.clean()
  }

  /// Who writes inside an observer, and waits there for what another thread is to tell, is not made to
  /// tell it.
  @Test func whoIsInsideAnObserverTakesOverNothing() {
    let tireless = Tireless(limit: 2_000)
    let inside = Variable(0)
    let dust = variable.observe(ignoreFirst: true, changes: tireless.observe)
    let isTold = DispatchSemaphore(value: 0)
    let waiting = variable.observe(ignoreFirst: true) { if $0 == 2_000 { isTold.signal() } }
    let observer = inside.observe(ignoreFirst: true) { _ in
      for number in 1...2_000 { tireless.write(number) { variable.value = $0 } }
      #expect(isTold.wait(timeout: .now() + 20) == .success)
    }
    let writing = Beside {
      tireless.waitForZero()
      inside.value = 1
    }

    variable.value = 0

    writing.join()
    waiting.clean()
    observer.clean()
    dust.clean()
  }

  @Test(arguments: [false, true]) func whoObservesComesBack(isDerived: Bool) {
    let constant = isDerived ? Constant(variable).map { $0 } : Constant(variable)
    let writing = tireless.write { variable.value = $0 }

    let dust = constant.observe(changes: tireless.observe)

    tireless.expectToBeLeft(by: writing)
    dust.clean()
  }

  @Test func whoSendsComesBack() {
    let sink = Sink<Int>()
    let dust = Signal(sink).observe(changes: tireless.observe)
    let writing = tireless.write { sink.send($0) }

    sink.send(0)

    tireless.expectToBeLeft(by: writing)
    dust.clean()
  }
}

/// A thread that writes until another comes back, which tells what it writes; and never fast enough.
private final class Tireless: Sendable {
  private let limit: Int
  private let observer = ExclusiveObserver()
  private let teller = ObjectIdentifier.currentThread
  private let isObserved = Gate()
  private let isBack = Atomic(false)
  private let written = Atomic(0)
  private let told = Atomic(0)

  init(limit: Int = 1_000_000) {
    self.limit = limit
  }

  /// Writes consecutive numbers, as soon as a zero was told.
  func write(_ body: @escaping @Sendable (Int) -> Void) -> Beside {
    Beside { [self] in
      waitForZero()
      for number in 1...limit where !isBack.load(ordering: .acquiring) {
        write(number, body)
      }
    }
  }

  func waitForZero() { isObserved.wait() }

  func write(_ number: Int, _ body: (Int) -> Void) {
    body(number)
    written.store(number, ordering: .releasing)
    // The teller gets the processor, too.
    if told.load(ordering: .relaxed) + 100 < number { sched_yield() }
  }

  func observe(_ number: Int) {
    observer.receive(number)
    told.store(number, ordering: .relaxed)
    if number == 0 { isObserved.open() }
    if ObjectIdentifier.currentThread != teller || isBack.load(ordering: .acquiring) { return }
    // When this call returns, there is another change to be told.
    let before = written.load(ordering: .acquiring)
    guard before < limit else { return }
    while written.load(ordering: .acquiring) == before { sched_yield() }
  }

  func expectToBeLeft(by writing: Beside) {
    isBack.store(true, ordering: .releasing)
    writing.join()
    let last = written.load(ordering: .acquiring)
    #expect(last < limit)
    observer.expectConsecutive(through: last)
  }
}
