import FluxCapacitor
import Foundation
import Synchronization
import Testing

/// V3: no lock is held while an observer runs.
struct DeadlockTests {
  @Test func observerMayWaitForAnotherThreadThatDoesAnything() {
    let dispatcher = Dispatcher()
    let store = withDispatcher(dispatcher) { Plain.Store.instantiate() }
    let variable = Variable(0)
    let other = Variable(0)
    let bag = DustBuster()
    let finished = Box(false)
    let ownDust = Box<Dust?>(nil)
    ownDust.value = variable.observe(ignoreFirst: true) { value in
      guard value == 1 else { return }
      let helper = Worker {
        _ = variable.value
        variable.value = 2
        variable.value += 1
        variable.modify { $0 += 1 }
        variable.observe { _ in }.cleaned(by: bag)
        other.observe { _ in }.cleaned(by: bag)
        other.value = 1
        dispatcher.dispatch(Plain.State.set(1))
        dispatcher.transaction { variable.value += 1 }
        dispatcher.read { _ = variable.value }
        _ = withDispatcher(dispatcher) { Plain.Store.instantiate() }
        ownDust.value?.clean()
        bag.clean()
        store.clear()
        dispatcher.unregisterAll()
      }
      finished.value = helper.join(within: 10)
    }
    variable.value = 1
    #expect(finished.value)
    #expect(variable.value == 5)
  }

  @Test func observerOfAReduceMayWaitForAnotherThreadsDispatch() {
    let dispatcher = Dispatcher()
    let store = withDispatcher(dispatcher) { Plain.Store.instantiate() }
    let finished = Box(false)
    let dust = store.x.observe(ignoreFirst: true) { value in
      guard value == 1 else { return }
      finished.value = Worker { dispatcher.dispatch(Plain.State.set(2)) }.join(within: 10)
    }
    dispatcher.dispatch(Plain.State.set(1))
    #expect(finished.value)
    dust.clean()
  }

  @Test func firstCallMayWaitForAnotherThread() {
    let variable = Variable(0)
    let finished = Box(false)
    let dust = variable.observe { value in
      guard value == 0 else { return }
      finished.value = Worker {
        variable.value = 1
        variable.observe { _ in }.clean()
      }.join(within: 10)
    }
    #expect(finished.value)
    dust.clean()
  }

  @Test func twoVariablesThatSetEachOtherFromTwoThreads() {
    for _ in 0..<50 * scale {
      let one = Variable(0)
      let two = Variable(0)
      let dust1 = one.observe { value in if two.value < value { two.value = value } }
      let dust2 = two.observe { value in if one.value < value { one.value = value } }
      #expect(
        onThreads(2, within: 30) { index in
          for value in 1...200 { (index == 0 ? one : two).value = value * 2 + index }
        }
      )
      dust1.clean()
      dust2.clean()
    }
  }

  @Test func compoundAssignmentsFromEachOtherDoNotDeadlock() {
    let one = Variable(1)
    let two = Variable(1)
    let ones = Variable([0])
    let twos = Variable([0])
    #expect(
      onThreads(2, within: 60) { index in
        for _ in 0..<20_000 * scale {
          if index == 0 {
            one.value &+= two.value
            ones.value[twos.value[0]] &+= twos.value.count
          } else {
            two.value &+= one.value
            twos.value[ones.value[0] & 0] &+= 0
          }
          if index == 0 { ones.value[0] = 0 }
        }
      }
    )
  }

  @Test func releasedClosuresAndValuesMayUseTheirVariable() {
    let variable = Variable<Probe?>(nil)
    let log = Log<Int>()
    let others = Variable(0)
    let bag = DustBuster()
    others.observe(ignoreFirst: true) { log.append($0) }.cleaned(by: bag)

    // A value that is replaced.
    variable.observe(ignoreFirst: true) { _ in }.cleaned(by: bag)
    variable.value = Probe {
      _ = variable.value
      variable.value = nil
      variable.observe { _ in }.cleaned(by: bag)
      others.value += 1
      Worker { variable.value = nil }.join(within: 5)
    }
    variable.value = nil
    #expect(log.entries == [1])

    // A closure that is cleaned.
    let held = Box<Probe?>(
      Probe {
        variable.value = nil
        others.value += 1
        Worker {
          variable.value = nil
          variable.observe { _ in }.clean()
        }.join(within: 5)
      }
    )
    var dust: Dust? = nil
    do {
      let probe = held.value!
      dust = variable.observe(ignoreFirst: true) { _ in withExtendedLifetime(probe) {} }
    }
    held.value = nil
    dust?.clean()
    #expect(log.entries == [1, 2])
    bag.clean()
  }

  @Test func closuresReleasedInsideACallbackMayUseTheirVariable() {
    let variable = Variable(0)
    let log = Log<Int>()
    let bag = DustBuster()
    let inner = DustBuster()
    variable.observe(ignoreFirst: true) { value in
      log.append(value)
      if value == 1 { inner.clean() }
    }.cleaned(by: bag)
    do {
      let probe = Probe {
        variable.value = 2
        Worker { variable.value = 3 }.join(within: 5)
      }
      variable.observe(ignoreFirst: true) { _ in withExtendedLifetime(probe) {} }
        .cleaned(by: inner)
    }
    variable.value = 1
    #expect(log.entries == [1, 2, 3] || log.entries == [1, 3, 2] || log.entries == [1, 2, 3])
    bag.clean()
  }

  @Test func queuedValuesDroppedByCleanAreReleasedOutsideTheLock() {
    let queue = DispatchQueue(label: "queue")
    let isBlocked = Gate()
    let mayGoOn = Gate()
    queue.async {
      isBlocked.open()
      mayGoOn.pass()
    }
    isBlocked.pass()
    let variable = Variable<Probe?>(nil)
    let released = Counter()
    let dustBox = Box<Dust?>(nil)
    dustBox.value = variable.observe(on: .queue(queue)) { _ in }
    for _ in 0..<3 {
      variable.value = Probe {
        dustBox.value?.clean()
        variable.observe { _ in }.clean()
        if Worker({
          dustBox.value?.clean()
          _ = variable.value
        }).join(within: 5) {
          released.add()
        }
      }
    }
    variable.value = nil
    dustBox.value?.clean()
    #expect(released.value == 3)
    mayGoOn.open()
    queue.sync {}
  }

  @Test func swapOfTwoVariablesOnOneThreadWorks() {
    let one = Variable(1)
    let two = Variable(2)
    swap(&one.value, &two.value)
    #expect(one.value == 2)
    #expect(two.value == 1)
  }
}
