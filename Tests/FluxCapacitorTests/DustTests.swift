import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

struct DustTests {
  private let variable = Variable(0)
  private let log = Log<Int>()
  private let dusts = DustBuster()

  // V5

  @Test func observerIsNotCalledAfterItsDustIsCleaned() {
    let dust = variable.observe { [log] in log.append($0) }

    dust.clean()
    dust.clean()
    variable.value = 1

    #expect(log.entries == [0])
  }

  @Test func cleaningOneObserverPreservesTheCallOrderOfTheRemainingObservers() {
    for cleaned in 0..<4 {
      let variable = Variable(0)
      let log = Log<Int>()
      let dusts = (0..<4).map { index in
        variable.observe(ignoreFirst: true) { _ in log.append(index) }
      }

      dusts[cleaned].clean()
      variable.value = 1

      #expect(log.entries == (0..<4).filter { $0 != cleaned })
      dusts.forEach { $0.clean() }
    }
  }

  @Test func observerThatCleansItselfIsNotCalledAgain() {
    let own = DustBuster()
    variable.observe(ignoreFirst: true) { [log] value in
      log.append(value)
      own.clean()
    }.cleaned(by: own)

    variable.value = 1
    variable.value = 2

    #expect(log.entries == [1])
  }

  @Test func observerThatCleansAnotherObservationInItsFirstCallReceivesTheNextChange() {
    let box = DustBuster()
    let trigger = Variable(0)
    variable.observe(on: .queue(DispatchQueue(label: "held"))) { _ in }.cleaned(by: box)
    let dust = trigger.observe { [log] value in
      log.append(value)
      if value == 0 { Beside { trigger.value = 1 }.join() }
      box.clean()
    }
    dust.clean()

    #expect(log.entries == [0, 1])
  }

  @Test func observerCleanedByAnEarlierObserverDoesNotReceiveTheChangeBeingDelivered() {
    let log = Log<String>()
    let others = DustBuster()
    variable.observe(ignoreFirst: true) { _ in
      log.append("first")
      others.clean()
    }.cleaned(by: dusts)
    variable.observe(ignoreFirst: true) { _ in log.append("second") }.cleaned(by: others)
    variable.observe(ignoreFirst: true) { _ in log.append("third") }.cleaned(by: others)
    variable.observe(ignoreFirst: true) { _ in log.append("last") }.cleaned(by: dusts)

    variable.value = 1
    variable.value = 2

    #expect(log.entries == ["first", "last", "first", "last"])
  }

  @Test func cleanPreventsTheDeliveryOfValuesAlreadyQueuedForTheObserver() {
    let queue = DispatchQueue(label: "observer")
    queue.suspend()
    let dust = variable.observe(on: .queue(queue)) { [log] in log.append($0) }
    variable.value = 1

    dust.clean()
    queue.resume()
    queue.sync {}

    #expect(log.entries.isEmpty)
  }

  // V7

  @Test func releasingADustWithoutCleanDoesNotEndItsObservation() {
    _ = variable.observe(ignoreFirst: true) { [log] in log.append($0) }

    variable.value = 1

    #expect(log.entries == [1])
  }
}
