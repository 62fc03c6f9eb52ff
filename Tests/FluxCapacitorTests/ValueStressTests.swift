import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import Synchronization
import Testing

/// Races on values. If THOROUGH is set, each test performs at least 200,000 operations.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct ValueStressTests {
  private let variable = Variable(0)
  private let observer = ExclusiveObserver()
  private let dusts = DustBuster()

  // V1

  @Test func observersThatSubscribeDuringWritesMissNoChange() async {
    for _ in 0..<stress(200) {
      let variable = Variable(0)
      let logs = (0..<4).map { _ in Log<Int>() }
      let dusts = DustBuster()

      await inParallel(5) { index in
        if index == 4 {
          for value in 1...1000 { variable.value = value }
        } else {
          variable.observe { logs[index].append($0) }.cleaned(by: dusts)
        }
      }

      for log in logs {
        let first = log.entries.first ?? -1
        #expect(log.entries == Array(first...1000))
      }
    }
  }

  // V2

  @Test func callsOfAnObserverNeverOverlapAndFollowTheOrderOfConcurrentWrites() async {
    variable.observe { [observer] in observer.receive($0) }.cleaned(by: dusts)

    await inParallel(4) { _ in
      for _ in 0..<stress(50_000) { variable.value += 1 }
    }

    #expect(variable.value == stress(200_000))
    observer.expectConsecutive(through: stress(200_000))
  }

  @Test func callsOfAnObserverOnAConcurrentQueueNeverOverlap() async {
    let queue = DispatchQueue(label: "observer", attributes: .concurrent)
    let done = Gate()
    variable.observe(on: .queue(queue)) { [observer] value in
      observer.receive(value)
      if value == stress(200_000) { done.open() }
    }.cleaned(by: dusts)

    await inParallel(4) { _ in
      for _ in 0..<stress(50_000) { variable.modify { $0 += 1 } }
    }
    done.wait()

    observer.expectConsecutive(through: stress(200_000))
  }

  @MainActor @Test func observerOnMainReceivesEveryChangeOfTwoThreadsInOrder() async {
    let isDone = Atomic(false)
    variable.observe(on: .main) { [observer] in observer.receive($0) }.cleaned(by: dusts)

    let beside = Beside {
      for _ in 0..<stress(100_000) { variable.value += 1 }
      isDone.store(true, ordering: .releasing)
    }
    var written = 0
    while written < stress(100_000) || !isDone.load(ordering: .acquiring) {
      for _ in 0..<min(100, stress(100_000) - written) { variable.value += 1 }
      written = min(written + 100, stress(100_000))
      await Task.yield()
    }
    beside.join()
    await mainQueueIsEmpty()

    observer.expectConsecutive(through: stress(200_000))
  }

  // V3

  @Test func observersThatSetEachOthersVariablesFromTwoThreadsDoNotDeadlock() async {
    let a = Variable(0)
    let b = Variable(0)
    a.observe(ignoreFirst: true) { if b.value < $0 { b.value = $0 } }.cleaned(by: dusts)
    b.observe(ignoreFirst: true) { if a.value < $0 { a.value = $0 } }.cleaned(by: dusts)

    await inParallel(2) { index in
      for value in 0..<stress(100_000) {
        if index == 0 { a.value = 2 * value } else { b.value = 2 * value + 1 }
      }
    }
    a.value = 1_000_000

    #expect(b.value == 1_000_000)
  }

  @Test func observersThatCleanEachOtherFromTwoThreadsDoNotDeadlock() async {
    for _ in 0..<stress(2_000) {
      let variables = [Variable(0), Variable(0)]
      let bags = [DustBuster(), DustBuster()]
      for index in 0..<2 {
        variables[index].observe(ignoreFirst: true) { _ in bags[1 - index].clean() }
          .cleaned(by: bags[index])
      }

      await inParallel(2) { index in
        for value in 0..<50 { variables[index].value = value }
      }
    }
  }

  // V5

  @Test func observerIsNotCalledAfterCleanReturnsDuringConcurrentWrites() async {
    let begun = Atomic(0)

    await inParallel(2) { index in
      if index == 0 {
        for value in 1...stress(200_000) {
          begun.store(value, ordering: .sequentiallyConsistent)
          variable.value = value
        }
      } else {
        while begun.load(ordering: .relaxed) < stress(200_000) {
          let latest = Latest()
          let dust = variable.observe(ignoreFirst: true) { latest.store($0) }
          dust.clean()
          let limit = begun.load(ordering: .sequentiallyConsistent)
          #expect(latest.load() <= limit)
        }
      }
    }
  }

  @Test func observerReceivesEveryChangeWhileOtherObserversSubscribeAndClean() async {
    let steady = ExclusiveObserver()
    variable.observe { steady.receive($0) }.cleaned(by: dusts)

    await inParallel(4) { index in
      for round in 0..<stress(50_000) {
        if index < 2 {
          variable.value += 1
        } else {
          let observer = ExclusiveObserver()
          let dusts = DustBuster()
          variable.observe(ignoreFirst: round % 2 == 0) { value in
            observer.receive(value)
            if value % 3 == 0 { dusts.clean() }
          }.cleaned(by: dusts)
          dusts.clean()
        }
      }
    }

    steady.expectConsecutive(through: stress(100_000))
  }

  // V6

  @Test func inPlaceChangesOfAVariableFromManyThreadsAreNeverLost() async {
    let sum = Variable(0)
    let items = Variable<[Int]>([])

    await inParallel(4) { index in
      for _ in 0..<stress(50_000) {
        sum.value += 1
        items.value.append(index)
        _ = items.value.count
      }
    }

    #expect(sum.value == stress(200_000))
    for index in 0..<4 { #expect(items.value.count { $0 == index } == stress(50_000)) }
  }

  @Test func readsOfAVariableNeverReturnATornValueDuringConcurrentWrites() async {
    let variable = Variable(Wide(0))

    await inParallel(4) { index in
      for value in 0..<stress(50_000) {
        if index == 0 { variable.value = Wide(value) }
        #expect(variable.value.isWhole)
      }
    }
  }

  // V7

  @Test func valuesReplacedByConcurrentWritesAreFreed() async {
    let variable = Variable<Counted?>(nil)
    let alive = Tally()

    await inParallel(4) { index in
      for round in 0..<stress(50_000) {
        variable.value = Counted(alive)
        if round % stress(10_000) == index { _ = variable.observe { _ in } }
      }
    }
    variable.value = nil

    #expect(alive.value == 0)
  }
}
