import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import Foundation
import Testing

struct ExecuteQueueTests {
  @Test func observerOnAQueueReceivesAllValuesOnThatQueue() {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "observer")
    queue.setSpecific(key: key, value: true)
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(on: .queue(queue)) { value in
      #expect(DispatchQueue.getSpecific(key: key) == true)
      log.append(value)
    }

    for value in 1...3 { variable.value = value }
    queue.sync {}

    #expect(log.entries == [0, 1, 2, 3])
    dust.clean()
  }

  @Test func observerOnAQueueReceivesAWriteBeforeWorkThatIsEnqueuedAfterTheWrite() {
    let queue = DispatchQueue(label: "observer")
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(on: .queue(queue)) { log.append($0) }

    for value in 1...1_000 {
      variable.value = value
      queue.sync { #expect(log.entries.last == value) }
    }

    #expect(log.entries == Array(0...1_000))
    dust.clean()
  }

  @Test func queueRunsOtherWorkBetweenCallsOfAnObserverThatKeepsWriting() {
    let queue = DispatchQueue(label: "observer")
    let variable = Variable(0)
    let log = Log<Int>()
    let done = Gate()
    let dust = variable.observe(on: .queue(queue), ignoreFirst: true) { value in
      if value == 1 { queue.async { log.append(variable.value) } }
      if value < 1_000 { variable.value = value + 1 } else { done.open() }
    }

    variable.value = 1
    done.wait()
    queue.sync {}

    #expect(log.entries.first ?? .max < 10)
    dust.clean()
  }

  @MainActor @Test func observerOnMainIsCalledSynchronouslyForAChangeMadeOnTheMainActor() {
    let screen = Screen()
    let variable = Variable(0)
    let dust = variable.observe(on: .main) { screen.shown.append($0) }

    variable.value = 1

    #expect(screen.shown == [0, 1])
    dust.clean()
  }

  @MainActor @Test func chainOfTenThousandWritesByAnObserverOnMainIsDeliveredSynchronously() {
    let screen = Screen()
    let variable = Variable(0)
    let dust = variable.observe(on: .main) { value in
      screen.shown.append(value)
      if value < 10_000 { variable.value = value + 1 }
    }

    #expect(screen.shown == Array(0...10_000))
    dust.clean()
  }

  @MainActor @Test func mainQueueRunsOtherWorkBetweenTwoQueuedChangesForAnObserverOnMain() async {
    let variable = Variable(0)
    let screen = Screen()
    let dust = variable.observe(on: .main, ignoreFirst: true) { value in
      screen.shown.append(value)
      if value < 1_000 { Beside { variable.value = value + 1 }.join() }
    }

    Beside { variable.value = 1 }.join()
    let countBefore = await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume(returning: screen.shown.count) }
    }

    #expect(countBefore == 1)
    dust.clean()
  }

  @MainActor @Test func changeMadeOnMainIsDeliveredAfterAChangeThatIsAlreadyQueuedForMain() async {
    let screen = Screen()
    let variable = Variable(0)
    let dust = variable.observe(on: .main) { screen.shown.append($0) }

    Beside { variable.value = 1 }.join()
    variable.value = 2
    #expect(screen.shown == [0])
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }

    #expect(screen.shown == [0, 1, 2])
    dust.clean()
  }

  @Test func observerOnAQueueChosenAtRunTimeRunsOnTheMainActorIfTheQueueIsMain() async {
    let queue = ExecuteQueue.main
    let variable = Variable(0)
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
