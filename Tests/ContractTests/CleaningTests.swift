import FluxCapacitor
import Foundation
import Synchronization
import Testing

struct CleaningTests {
  // MARK: V5

  @Test func observerThatCleansItselfIsNotCalledAgain() {
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = Box<Dust?>(nil)
    dust.value = variable.observe(ignoreFirst: true) { value in
      log.append(value)
      dust.value?.clean()
      variable.value = 7
    }
    variable.value = 1
    variable.value = 2
    #expect(log.entries == [1])
    dust.value = nil
  }

  @Test func observerCleanedByAnEarlierOneIsNotCalledInTheSameRound() {
    let variable = Variable(0)
    let log = Log<String>()
    let later = Box<[Dust]>([])
    let first = variable.observe(ignoreFirst: true) { value in
      log.append("first \(value)")
      for dust in later.value { dust.clean() }
    }
    later.value = (0..<3).map { index in
      variable.observe(ignoreFirst: true) { log.append("later \(index) \($0)") }
    }
    let last = variable.observe(ignoreFirst: true) { log.append("last \($0)") }
    variable.value = 1
    variable.value = 2
    #expect(log.entries == ["first 1", "last 1", "first 2", "last 2"])
    first.clean()
    last.clean()
  }

  @Test func allObserversCleanedInsideARoundAndNewOnesTakeTheirPlace() {
    let variable = Variable(0)
    let log = Log<String>()
    let bag = DustBuster()
    @Sendable func subscribe(_ generation: Int) {
      for index in 0..<3 {
        variable.observe(ignoreFirst: true) { value in
          log.append("\(generation).\(index) \(value)")
          guard generation == 0 else { return }
          bag.clean()
          subscribe(1)
        }.cleaned(by: bag)
      }
    }
    subscribe(0)
    variable.value = 1
    variable.value = 2
    #expect(log.entries == ["0.0 1", "1.0 2", "1.1 2", "1.2 2"])
    bag.clean()
    variable.value = 3
    #expect(log.count == 4)
  }

  @Test func queuedCallsDoNotStartAfterClean() {
    let queue = DispatchQueue(label: "queue")
    let isBlocked = Gate()
    let mayGoOn = Gate()
    queue.async {
      isBlocked.open()
      mayGoOn.pass()
    }
    isBlocked.pass()
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(on: .queue(queue)) { log.append($0) }
    variable.value = 1
    dust.clean()
    mayGoOn.open()
    queue.sync {}
    #expect(log.entries == [])
  }

  @Test func cleaningDuringACallOnAQueueDropsWhatIsQueuedBehindIt() {
    let queue = DispatchQueue(label: "queue", attributes: .concurrent)
    let isCalled = Gate()
    let mayGoOn = Gate()
    let hasEnded = Gate()
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(on: .queue(queue)) { value in
      log.append(value)
      isCalled.open()
      mayGoOn.pass()
      hasEnded.open()
    }
    isCalled.pass()
    for value in 1...10 { variable.value = value }
    dust.clean()
    mayGoOn.open()
    hasEnded.pass()
    queue.sync(flags: .barrier) {}
    #expect(log.entries == [0])
  }

  @Test func cleaningFromAnotherThreadDuringACallDoesNotWaitForIt() {
    let variable = Variable(0)
    let log = Log<Int>()
    let isCalled = Gate()
    let mayGoOn = Gate()
    let dust = variable.observe(ignoreFirst: true) { value in
      log.append(value)
      isCalled.open()
      mayGoOn.pass()
    }
    let writer = Worker { variable.value = 1 }
    isCalled.pass()
    variable.value = 2
    dust.clean()
    mayGoOn.open()
    writer.join()
    #expect(log.entries == [1])
  }

  @Test func cleaningInsideACallbackFromAnotherThreadHoldsAtOnce() {
    let variable = Variable(0)
    let log = Log<String>()
    let second = Box<Dust?>(nil)
    let first = variable.observe(ignoreFirst: true) { _ in
      let cleaner = Worker { second.value?.clean() }
      cleaner.join()
      log.append("first")
    }
    second.value = variable.observe(ignoreFirst: true) { _ in log.append("second") }
    variable.value = 1
    #expect(log.entries == ["first"])
    first.clean()
  }

  @Test func cleaningTwiceAndFromManyThreadsIsFine() {
    for _ in 0..<500 {
      let variable = Variable(0)
      let calls = Counter()
      let dusts = (0..<8).map { _ in variable.observe(ignoreFirst: true) { _ in calls.add() } }
      onThreads(4) { index in
        if index == 0 {
          for value in 1...20 { variable.value = value }
        } else {
          for dust in index % 2 == 0 ? dusts : dusts.reversed() { dust.clean() }
        }
      }
      let before = calls.value
      variable.value = -1
      #expect(calls.value == before)
    }
  }
}
