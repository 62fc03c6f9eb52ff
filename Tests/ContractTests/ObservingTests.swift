import FluxCapacitor
import Foundation
import Synchronization
import Testing

struct ObservingTests {
  // MARK: V1

  @Test func currentValueIsToldFirst() {
    let variable = Variable(1)
    let log = Log<Int>()
    let dust = variable.observe { log.append($0) }
    variable.value = 2
    #expect(log.entries == [1, 2])
    dust.clean()
  }

  @Test func changesDuringTheFirstCallAreToldAfterItInWriteOrder() {
    let variable = Variable(0)
    let log = Log<Int>()
    let isTellingFirst = Gate()
    let hasWritten = Gate()
    let writer = Worker {
      isTellingFirst.pass()
      for value in 1...1000 { variable.value = value }
      hasWritten.open()
    }
    let dust = variable.observe { value in
      if value == 0 {
        isTellingFirst.open()
        hasWritten.pass()
      }
      log.append(value)
    }
    writer.join()
    #expect(log.entries == Array(0...1000))
    variable.value = 1001
    #expect(log.entries.last == 1001)
    dust.clean()
  }

  @Test func observerThatSubscribesInARoundIsToldThePresentValueOnce() {
    let variable = Variable(0)
    let outer = Log<Int>()
    let inner = Log<Int>()
    let ignoring = Log<Int>()
    let bag = DustBuster()
    variable.observe { value in
      outer.append(value)
      guard value == 1 else { return }
      variable.observe { inner.append($0) }.cleaned(by: bag)
      variable.observe(ignoreFirst: true) { ignoring.append($0) }.cleaned(by: bag)
    }.cleaned(by: bag)
    variable.value = 1
    variable.value = 2
    #expect(outer.entries == [0, 1, 2])
    #expect(inner.entries == [1, 2])
    #expect(ignoring.entries == [2])
    bag.clean()
  }

  @Test func observerThatSubscribesWhileAChangeIsPendingIsNotToldItTwice() {
    let variable = Variable(0)
    let inner = Log<Int>()
    let bag = DustBuster()
    variable.observe { value in
      guard value == 1 else { return }
      variable.value = 2
      variable.observe { inner.append($0) }.cleaned(by: bag)
      variable.value = 3
    }.cleaned(by: bag)
    variable.value = 1
    #expect(inner.entries == [2, 3])
    bag.clean()
  }

  @Test func observerThatSubscribesInATransactionIsToldTheLastValueOnce() {
    let variable = Variable(0)
    let early = Log<Int>()
    let late = Log<Int>()
    let ignoring = Log<Int>()
    let bag = DustBuster()
    Dispatcher().transaction {
      variable.value = 1
      variable.observe { early.append($0) }.cleaned(by: bag)
      variable.value = 2
      variable.value = 3
      variable.observe { late.append($0) }.cleaned(by: bag)
      variable.observe(ignoreFirst: true) { ignoring.append($0) }.cleaned(by: bag)
    }
    #expect(early.entries == [1, 3])
    #expect(late.entries == [3])
    #expect(ignoring.entries == [])
    variable.value = 4
    #expect(early.entries == [1, 3, 4])
    #expect(late.entries == [3, 4])
    #expect(ignoring.entries == [4])
    bag.clean()
  }

  // MARK: V4

  @Test func setInAnObserverIsToldAfterTheRound() {
    let variable = Variable(0)
    let log = Log<String>()
    let first = variable.observe(ignoreFirst: true) { value in
      log.append("first \(value)")
      if value == 1 {
        variable.value = 2
        log.append("holds \(variable.value)")
      }
    }
    let second = variable.observe(ignoreFirst: true) { log.append("second \($0)") }
    variable.value = 1
    #expect(log.entries == ["first 1", "holds 2", "second 1", "first 2", "second 2"])
    first.clean()
    second.clean()
  }

  @Test func setOfAnotherVariableInAnObserverIsToldAfterTheRound() {
    let one = Variable(0)
    let two = Variable(0)
    let log = Log<String>()
    let bag = DustBuster()
    one.observe(ignoreFirst: true) { value in
      log.append("a \(value)")
      two.value = value
    }.cleaned(by: bag)
    one.observe(ignoreFirst: true) { log.append("b \($0)") }.cleaned(by: bag)
    two.observe(ignoreFirst: true) { log.append("c \($0)") }.cleaned(by: bag)
    one.value = 1
    #expect(log.entries == ["a 1", "b 1", "c 1"])
    bag.clean()
  }

  @Test func modificationsInAnObserverAreToldAfterTheRound() {
    let variable = Variable(0)
    let log = Log<String>()
    let bag = DustBuster()
    let dispatcher = Dispatcher()
    variable.observe(ignoreFirst: true) { value in
      log.append("a \(value)")
      if value == 1 {
        variable.value += 1
        variable.modify { $0 += 1 }
        dispatcher.transaction {
          variable.value += 1
          variable.value += 1
        }
      }
    }.cleaned(by: bag)
    variable.observe(ignoreFirst: true) { log.append("b \($0)") }.cleaned(by: bag)
    variable.value = 1
    #expect(log.entries == ["a 1", "b 1", "a 2", "b 2", "a 3", "b 3", "a 5", "b 5"])
    bag.clean()
  }

  // MARK: V8

  @Test func currentIsTheThreadThatMadeTheChange() {
    let variable = Variable(0)
    let threads = Log<pthread_t>()
    let dust = variable.observe { _ in threads.append(pthread_self()) }
    let workers = Log<pthread_t>()
    for value in 1...3 {
      Worker {
        workers.append(pthread_self())
        variable.value = value
      }.join()
    }
    #expect(Array(threads.entries.dropFirst()) == workers.entries)
    dust.clean()
  }

  @Test func collidingChangeIsToldByTheThreadAlreadyDelivering() {
    let variable = Variable(0)
    let isCalled = Gate()
    let mayGoOn = Gate()
    let calls = Log<(value: Int, thread: pthread_t)>()
    let dust = variable.observe(ignoreFirst: true) { value in
      calls.append((value, pthread_self()))
      if value == 1 {
        isCalled.open()
        mayGoOn.pass()
      }
    }
    let deliverer = Worker { variable.value = 1 }
    isCalled.pass()
    variable.value = 2
    #expect(calls.count == 1)
    mayGoOn.open()
    deliverer.join()
    #expect(calls.entries.map(\.value) == [1, 2])
    #expect(calls.entries[0].thread == calls.entries[1].thread)
    dust.clean()
  }

  // MARK: Queues

  @Test func mainIsToldAtOnceOnMainUnlessAnEarlierCallIsOnItsWay() {
    let variable = Variable(0)
    let log = Log<String>()
    let dust = onMain {
      let dust = variable.observe(on: ExecuteQueue.main) { log.append("told \($0)") }
      variable.value = 1
      log.append("set 1")
      Worker { variable.value = 2 }.join()
      log.append("set 2 elsewhere")
      variable.value = 3
      log.append("set 3")
      return dust
    }
    onMain { variable.value = 4 }
    #expect(
      log.entries == [
        "told 0", "told 1", "set 1", "set 2 elsewhere", "set 3", "told 2", "told 3", "told 4",
      ]
    )
    onMain { dust.clean() }
  }

  @Test func setOnMainInsideAMainObserverIsToldAfterTheRound() {
    let variable = Variable(0)
    let log = Log<String>()
    let bag = DustBuster()
    onMain {
      variable.observe(on: ExecuteQueue.main, ignoreFirst: true) { value in
        log.append("first \(value)")
        if value == 1 { variable.value = 2 }
      }.cleaned(by: bag)
      variable.observe(on: ExecuteQueue.main, ignoreFirst: true) { log.append("second \($0)") }
        .cleaned(by: bag)
      variable.value = 1
    }
    #expect(log.entries == ["first 1", "second 1", "first 2", "second 2"])
    bag.clean()
  }

  @Test func mainActorObserverIsTold() async {
    let variable = Variable(0)
    await MainActor.run {
      final class View {
        var seen: [Int] = []
      }
      let view = View()
      let dust = variable.observe(on: .main) { view.seen.append($0) }
      variable.value = 1
      #expect(view.seen == [0, 1])
      dust.clean()
    }
  }

  // MARK: Elements of every kind

  @Test func optionalsAreToldNilToo() {
    let variable = Variable<Int?>(nil)
    let log = Log<Int?>()
    let queued = Log<Int?>()
    let queue = DispatchQueue(label: "queue")
    let bag = DustBuster()
    variable.observe { log.append($0) }.cleaned(by: bag)
    variable.observe(on: .queue(queue)) { queued.append($0) }.cleaned(by: bag)
    variable.value = 1
    variable.value = nil
    queue.sync {}
    #expect(log.entries == [nil, 1, nil])
    #expect(queued.entries == [nil, 1, nil])
    // Through the backlog.
    variable.observe(ignoreFirst: true) { value in
      if value == 5 { variable.value = nil }
    }.cleaned(by: bag)
    variable.value = 5
    queue.sync {}
    #expect(log.entries == [nil, 1, nil, 5, nil])
    #expect(queued.entries == [nil, 1, nil, 5, nil])
    bag.clean()
  }

  @Test func elementsMayBeLargeClassesExistentialsFunctionsAndVoid() {
    struct Large: Sendable, Equatable {
      var a = (0, 1, 2, 3, 4, 5, 6, 7)
      var b = "a string that does not fit into fifteen bytes"
      var c = [1, 2, 3]
      static func == (one: Large, two: Large) -> Bool { one.b == two.b && one.c == two.c }
    }
    let large = Variable(Large())
    let object = Variable(Probe())
    let existential = Variable<any Sendable>(1)
    let function = Variable<@Sendable () -> Int>({ 1 })
    let void = Variable(())
    let log = Log<String>()
    let bag = DustBuster()
    large.observe { log.append("\($0.b.count) \($0.c)") }.cleaned(by: bag)
    object.observe { _ in log.append("probe") }.cleaned(by: bag)
    existential.observe { log.append("\($0)") }.cleaned(by: bag)
    function.observe { log.append("\($0())") }.cleaned(by: bag)
    void.observe { log.append("void") }.cleaned(by: bag)
    large.value.b = "b"
    large.value.c.append(4)
    object.value = Probe()
    existential.value = "two"
    function.value = { 2 }
    void.value = ()
    #expect(
      log.entries == [
        "45 [1, 2, 3]", "probe", "1", "1", "void",
        "1 [1, 2, 3]", "1 [1, 2, 3, 4]", "probe", "two", "2", "void",
      ]
    )
    bag.clean()
  }
}
