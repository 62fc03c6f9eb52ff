import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import Foundation
import Testing

struct ExecuteQueueTests {
  private let queue = DispatchQueue(label: "observer")
  private let variable = Variable(0)
  private let log = Log<Int>()
  private let dusts = DustBuster()

  @Test func observerOnAQueueReceivesAllValuesOnThatQueue() {
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    variable.observe(on: .queue(queue)) { [log] value in
      #expect(DispatchQueue.getSpecific(key: key) == true)
      log.append(value)
    }.cleaned(by: dusts)

    for value in 1...3 { variable.value = value }
    queue.sync {}

    #expect(log.entries == [0, 1, 2, 3])
  }

  @Test func observerOnAQueueReceivesAWriteBeforeWorkThatIsEnqueuedAfterTheWrite() {
    variable.observe(on: .queue(queue)) { [log] in log.append($0) }.cleaned(by: dusts)

    for value in 1...1_000 {
      variable.value = value
      queue.sync { #expect(log.entries.last == value) }
    }

    #expect(log.entries == Array(0...1_000))
  }

  @Test func queueRunsOtherWorkBetweenCallsOfAnObserverThatKeepsWriting() {
    let done = Gate()
    variable.observe(on: .queue(queue), ignoreFirst: true) { [queue, variable, log] value in
      if value == 1 { queue.async { log.append(variable.value) } }
      if value < 1_000 { variable.value = value + 1 } else { done.open() }
    }.cleaned(by: dusts)

    variable.value = 1
    done.wait()
    queue.sync {}

    #expect(log.entries.first ?? .max < 10)
  }

  @MainActor @Test func observerOnMainIsCalledSynchronouslyForAChangeMadeOnTheMainActor() {
    let screen = Screen()
    variable.observe(on: .main) { screen.shown.append($0) }.cleaned(by: dusts)

    variable.value = 1

    #expect(screen.shown == [0, 1])
  }

  @MainActor @Test func chainOfTenThousandWritesByAnObserverOnMainIsDeliveredSynchronously() {
    let screen = Screen()
    variable.observe(on: .main) { [variable] value in
      screen.shown.append(value)
      if value < 10_000 { variable.value = value + 1 }
    }.cleaned(by: dusts)

    #expect(screen.shown == Array(0...10_000))
  }

  @MainActor @Test func mainQueueRunsOtherWorkBetweenTwoQueuedChangesForAnObserverOnMain() async {
    let screen = Screen()
    variable.observe(on: .main, ignoreFirst: true) { [variable] value in
      screen.shown.append(value)
      if value < 1_000 { Beside { variable.value = value + 1 }.join() }
    }.cleaned(by: dusts)

    Beside { variable.value = 1 }.join()
    let countBefore = await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume(returning: screen.shown.count) }
    }

    #expect(countBefore == 1)
  }

  @MainActor @Test func changeMadeOnMainIsDeliveredAfterAChangeThatIsAlreadyQueuedForMain() async {
    let screen = Screen()
    variable.observe(on: .main) { screen.shown.append($0) }.cleaned(by: dusts)

    Beside { variable.value = 1 }.join()
    variable.value = 2
    #expect(screen.shown == [0])
    await mainQueueIsEmpty()

    #expect(screen.shown == [0, 1, 2])
  }

  @Test func observerOnAQueueChosenAtRunTimeRunsOnTheMainActorIfTheQueueIsMain() async {
    let queue = ExecuteQueue.main
    let values = AsyncStream<Int> { continuation in
      let dust = variable.observe(on: queue) { value in
        MainActor.assumeIsolated { _ = continuation.yield(value) }
      }
      continuation.onTermination = { _ in dust.clean() }
    }

    var told: [Int] = []
    for await value in values {
      told.append(value)
      if value == 2 { break }
      variable.value = value + 1
    }

    #expect(told == [0, 1, 2])
  }
}

@MainActor
private final class Screen {
  var shown: [Int] = []
}
