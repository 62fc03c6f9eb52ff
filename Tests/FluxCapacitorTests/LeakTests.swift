import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// Promise V7: observing keeps no store alive, and the last `clean()` frees everything.
struct LeakTests {
  private let tally = Tally()

  @Test func cleanFreesTheObserversClosureAndTheDeliveredValue() {
    let variable = Variable(Token())
    weak let value = variable.value
    let dust = variable.observe { [counted = Counted(tally)] _ in counted.pass(()) }
    #expect(tally.value == 1)

    dust.clean()
    variable.value = Token()

    #expect(tally.value == 0)
    #expect(value == nil)
  }

  @Test func freeingAVariableFreesItsObserversThatWereNeverCleaned() {
    do {
      let variable = Variable(0)
      _ = Constant(variable).observe { [counted = Counted(tally)] _ in counted.pass(()) }
      variable.value = 1
      #expect(tally.value == 1)
    }

    #expect(tally.value == 0)
  }

  @Test func freeingAVariableInsideItsOwnObserverFreesTheObserver() {
    do {
      let holder = Variable<Variable<Int>?>(Variable(0))
      _ = holder.value?.observe(ignoreFirst: true) { [counted = Counted(tally)] _ in
        counted.pass(holder.value = nil)
      }
      holder.value?.value = 1
      #expect(holder.value == nil)
    }

    #expect(tally.value == 0)
  }

  @Test func freeingAVariableFreesAnObserverThatRetainsItsOwnDustBuster() {
    weak var bag: DustBuster?
    do {
      let variable = Variable(0)
      let dusts = DustBuster()
      bag = dusts
      variable.observe { if $0 == 1 { dusts.clean() } }.cleaned(by: dusts)
    }

    #expect(bag == nil)
  }

  @Test(.isolatedDispatcher) func observerOfAStoresConstantDoesNotKeepTheStoreAlive() {
    weak var store: CounterStore?
    let dusts = DustBuster()
    do {
      let made = CounterStore.instantiate()
      store = made
      made.count.observe { _ in }.cleaned(by: dusts)
      made.count.map { $0 + 1 }.observe { _ in }.cleaned(by: dusts)
    }

    #expect(store == nil)
  }

  @Test func dispatcherIsFreedAfterDispatchingToAStore() {
    weak var dispatcher: Dispatcher?
    do {
      let made = Dispatcher()
      dispatcher = made
      withDispatcher(made) {
        let store = CounterStore.instantiate()
        CounterAction().invoke(.add(1))
        withExtendedLifetime(store) {}
      }
    }

    #expect(dispatcher == nil)
  }

  @Test func cleanFreesAnObserverOnASuspendedQueueAndItsQueuedValues() {
    let queue = DispatchQueue(label: "observer")
    let variable = Variable<Token?>(Token())
    weak let value = variable.value
    queue.suspend()
    let dust = variable.observe(on: .queue(queue)) { [counted = Counted(tally)] _ in
      counted.pass(())
    }
    variable.value = nil
    #expect(value != nil)

    dust.clean()
    #expect(value == nil)
    #expect(tally.value == 0)
    queue.resume()
    queue.sync {}
  }

  @Test func freeingAVariableWithTenThousandObserversNeedsConstantStackSpace() {
    inParallel(1, stackSize: 128 * 1024) { _ in
      let variable = Variable(0)
      for _ in 0..<10_000 { _ = variable.observe { _ in } }
    }
  }
}

private final class Token: Sendable {}
