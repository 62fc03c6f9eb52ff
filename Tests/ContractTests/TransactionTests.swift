import FluxCapacitor
import Foundation
import Synchronization
import Testing

/// D4.
struct TransactionTests {
  let dispatcher = Dispatcher()

  private func makeStore() -> Plain.Store {
    withDispatcher(dispatcher) { Plain.Store.instantiate() }
  }

  @Test func observersAreToldOncePerVariableWithTheLastValueAfterTheReduce() {
    let store = makeStore()
    let log = Log<String>()
    let bag = DustBuster()
    store.x.observe(ignoreFirst: true) { log.append("x \($0) y \(store.y.value)") }
      .cleaned(by: bag)
    store.y.observe(ignoreFirst: true) { log.append("y \($0) x \(store.x.value)") }
      .cleaned(by: bag)
    dispatcher.dispatch(
      Plain.State.run {
        store._x.value = 1
        store._y.value = 2
        store._x.value += 10
        store._y.modify { $0 += 20 }
        log.append("end")
      }
    )
    #expect(log.entries == ["end", "x 11 y 22", "y 22 x 11"])
    bag.clean()
  }

  @Test func setToTheSameValueIsToldAndAnUnsetVariableIsNot() {
    let store = makeStore()
    let log = Log<String>()
    let bag = DustBuster()
    store.x.observe(ignoreFirst: true) { log.append("x \($0)") }.cleaned(by: bag)
    store.y.observe(ignoreFirst: true) { log.append("y \($0)") }.cleaned(by: bag)
    dispatcher.dispatch(Plain.State.run { store._x.value = 0 })
    #expect(log.entries == ["x 0"])
    bag.clean()
  }

  @Test func directWriteOfAnotherThreadInTheMidstOfATransactionKeepsItsPlace() {
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { log.append($0) }
    dispatcher.transaction {
      variable.value = 1
      Worker { variable.value = 2 }.join()
      #expect(variable.value == 2)
      #expect(log.entries == [])
    }
    #expect(log.entries == [1, 2])
    dispatcher.transaction {
      variable.value = 3
      Worker { variable.value = 4 }.join()
      variable.value = 5
      variable.value = 6
    }
    #expect(log.entries == [1, 2, 4, 6])
    dispatcher.transaction {
      Worker { variable.value = 7 }.join()
      variable.value = 8
      Worker { variable.value += 1 }.join()
      Worker { variable.value += 1 }.join()
    }
    #expect(log.entries == [1, 2, 4, 6, 7, 8, 9, 10])
    variable.value = 11
    #expect(log.entries.last == 11)
    dust.clean()
  }

  @Test func twoTransactionsOnOneVariableTellTheLastValueOfEachInWriteOrder() {
    let other = Dispatcher()
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { log.append($0) }
    let steps = (0..<4).map { _ in Gate() }
    let worker = Worker {
      other.transaction {
        steps[0].pass()
        variable.value = 2
        steps[1].open()
        steps[2].pass()
        variable.value = 4
      }
      steps[3].open()
    }
    dispatcher.transaction {
      variable.value = 1
      steps[0].open()
      steps[1].pass()
      variable.value = 3
      steps[2].open()
      steps[3].pass()
      #expect(log.entries == [])
    }
    worker.join()
    #expect(log.entries == [3, 4])
    variable.value = 5
    #expect(log.entries == [3, 4, 5])
    dust.clean()
  }

  @Test func twoTransactionsTheLaterWriterEndingLast() {
    let other = Dispatcher()
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { log.append($0) }
    let hasWritten = Gate()
    let mayEnd = Gate()
    let worker = Worker {
      other.transaction {
        variable.value = 1
        hasWritten.open()
        mayEnd.pass()
      }
    }
    hasWritten.pass()
    dispatcher.transaction { variable.value = 2 }
    #expect(log.entries == [])
    variable.value = 3
    #expect(log.entries == [])
    mayEnd.open()
    worker.join()
    #expect(log.entries == [1, 2, 3])
    dust.clean()
  }

  @Test func transactionReturnsRethrowsAndTellsWhatItHasWritten() {
    struct Failure: Error {}
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { log.append($0) }
    #expect(dispatcher.transaction { 5 } == 5)
    #expect(throws: Failure.self) {
      try dispatcher.transaction {
        variable.value = 1
        variable.value = 2
        throw Failure()
      }
    }
    #expect(throws: Failure.self) { try dispatcher.read { throw Failure() } }
    #expect(log.entries == [2])
    variable.value = 3
    #expect(log.entries == [2, 3])
    let worker = Worker { [dispatcher] in dispatcher.transaction { variable.value = 4 } }
    #expect(worker.join(within: 5))
    #expect(log.entries == [2, 3, 4])
    dust.clean()
  }

  @Test func nestedTransactionsTellOnceAtTheEndOfTheOutermost() {
    let other = Dispatcher()
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { log.append($0) }
    dispatcher.transaction {
      variable.value = 1
      dispatcher.transaction { variable.value = 2 }
      other.transaction { variable.value = 3 }
      dispatcher.read { variable.value = 4 }
      variable.modify { $0 = 5 }
      #expect(log.entries == [])
    }
    #expect(log.entries == [5])
    dust.clean()
  }

  @Test func invokeInsideATransactionIsReducedAtOnceAndToldAfterIt() {
    let store = makeStore()
    let log = Log<Int>()
    let dust = store.x.observe(ignoreFirst: true) { log.append($0) }
    dispatcher.transaction {
      dispatcher.dispatch(Plain.State.set(1))
      #expect(store.x.value == 1)
      dispatcher.dispatch(Plain.State.set(2))
      #expect(log.entries == [])
    }
    #expect(log.entries == [2])
    dust.clean()
  }
}
