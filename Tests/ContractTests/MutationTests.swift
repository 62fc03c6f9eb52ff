import FluxCapacitor
import Foundation
import Testing

struct MutationTests {
  @Test func compoundAssignmentsFromManyThreadsLoseNothing() {
    let variable = Variable(0)
    let list = Variable<[Int]>([])
    let each = 25_000 * scale
    onThreads(4) { index in
      for step in 0..<each {
        variable.value += 1
        if step % 10 == 0 { list.value.append(index) }
      }
    }
    #expect(variable.value == 4 * each)
    #expect(list.value.count == 4 * each / 10)
  }

  @Test func appendingWithAnObserverCopiesNothing() {
    let variable = Variable<[Int]>([])
    variable.value.reserveCapacity(1000)
    let addresses = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { value in
      value.withUnsafeBufferPointer { addresses.append(Int(bitPattern: $0.baseAddress)) }
    }
    for element in 0..<1000 { variable.value.append(element) }
    #expect(addresses.count == 1000)
    #expect(Set(addresses.entries).count == 1)
    Dispatcher().transaction {
      variable.value.removeAll(keepingCapacity: true)
      for element in 0..<1000 { variable.value.append(element) }
    }
    #expect(Set(addresses.entries).count == 1)
    dust.clean()
  }

  @Test func modifyThatThrowsKeepsAndTellsWhatItHasChanged() {
    struct Failure: Error {}
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe(ignoreFirst: true) { log.append($0) }
    #expect(throws: Failure.self) {
      try variable.modify { value in
        value = 1
        throw Failure()
      }
    }
    #expect(variable.value == 1)
    #expect(log.entries == [1])
    variable.value = 2
    #expect(log.entries == [1, 2])
    func failing(_ value: inout Int) throws {
      value = 3
      throw Failure()
    }
    #expect(throws: Failure.self) { try failing(&variable.value) }
    #expect(variable.value == 3)
    variable.value = 4
    #expect(log.entries == [1, 2, 3, 4])
    #expect(Worker { variable.value += 1 }.join(within: 5))
    dust.clean()
  }

  @Test func modifyReturnsItsResultAndMayUseOtherVariables() {
    let variable = Variable([1, 2])
    let other = Variable(0)
    let log = Log<String>()
    let bag = DustBuster()
    variable.observe(ignoreFirst: true) { log.append("\($0)") }.cleaned(by: bag)
    other.observe(ignoreFirst: true) { log.append("other \($0)") }.cleaned(by: bag)
    let last = variable.modify { value in
      other.value = 1
      other.modify { $0 += 1 }
      log.append("body")
      return value.popLast()
    }
    #expect(last == 2)
    #expect(
      log.entries == ["body", "other 2", "[1]"] || log.entries == ["body", "[1]", "other 2"]
    )
    bag.clean()
  }

  @Test func readsNeverTear() {
    struct Wide: Sendable { var a = 0, b = 0, c = 0, d = 0, e = "0" }
    let variable = Variable(Wide())
    let torn = Counter()
    onThreads(3) { index in
      for step in 0..<20_000 * scale {
        if index == 0 {
          variable.value = Wide(a: step, b: step, c: step, d: step, e: "\(step)")
        } else {
          let value = variable.value
          if value.a != value.d || value.e != "\(value.b)" { torn.add() }
        }
      }
    }
    #expect(torn.value == 0)
  }

  // MARK: Traps

  @Test func modifyInsideItsOwnModifyTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let variable = Variable(0)
      variable.modify { _ in variable.modify { $0 += 1 } }
    }
    #expect(sentence(of: result).contains("Variable<Int> was used inside its own mutation"))
  }

  @Test func readInsideAnAccessTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let variable = Variable([0])
      variable.value.append(contentsOf: (0..<3).lazy.map { _ in variable.value.count })
    }
    #expect(sentence(of: result).contains("was used inside its own mutation"))
  }

  @Test func swapWithItselfTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let variable = Variable(0)
      let same = variable
      swap(&variable.value, &same.value)
    }
    #expect(sentence(of: result).contains("was used inside its own mutation"))
  }

  @Test func observingInsideItsOwnModifyTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let variable = Variable(0)
      variable.modify { _ in _ = variable.observe { _ in } }
    }
    #expect(sentence(of: result).contains("was used inside its own mutation"))
  }

  @Test func transactionInsideAModifyTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let variable = Variable(0)
      variable.modify { _ in Dispatcher().transaction {} }
    }
    #expect(sentence(of: result).contains("transaction"))
  }

  @Test func mutationInsideTheObserverOfAnotherMutationIsFine() {
    let variable = Variable(0)
    let log = Log<Int>()
    let dust = variable.observe { value in
      log.append(value)
      if value < 3 { variable.value += 1 }
    }
    #expect(variable.value == 3)
    #expect(log.entries == [0, 1, 2, 3])
    dust.clean()
  }
}

func sentence(of result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}
