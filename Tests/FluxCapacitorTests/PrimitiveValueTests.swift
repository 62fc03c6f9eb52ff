import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

struct PrimitiveValueTests {
  private let variable = Variable(0)
  private let log = Log<Int>()
  private let dusts = DustBuster()

  @Test func constantReturnsTheLastValueAfterItsVariableIsReleased() {
    let constant = Constant(Variable("still here"))

    #expect(constant.value == "still here")
  }

  // V1

  @Test func observerReceivesTheCurrentValueAndThenEveryChange() {
    let fromVariable = Log<Int>()
    let fromConstant = Log<Int>()
    variable.observe { fromVariable.append($0) }.cleaned(by: dusts)
    Constant(variable).observe { fromConstant.append($0) }.cleaned(by: dusts)

    for value in [10, 10, 20] { variable.value = value }

    #expect(fromVariable.entries == [0, 10, 10, 20])
    #expect(fromConstant.entries == [0, 10, 10, 20])
  }

  @Test func writeOfAnotherThreadDuringAnObserversFirstCallIsDeliveredAfterThatCall() {
    variable.observe { [variable, log] value in
      if value == 0 { Beside { variable.value = 1 }.join() }
      log.append(value)
    }.cleaned(by: dusts)

    #expect(log.entries == [0, 1])
  }

  @Test func transactionDeliversAChangeOfAVariableThatIsFreedBeforeTheTransactionEnds() {
    Dispatcher().transaction {
      let variable = Variable(0)
      _ = variable.observe(ignoreFirst: true) { [log] in log.append($0) }
      variable.value = 1
    }

    #expect(log.entries == [1])
  }

  // V2, V8

  @Test func setDeliversItsValueBeforeReturningWhileAnEarlierWriterIsInsideAnObserver() {
    let other = Variable(0)
    let hasSet = Gate()
    let goOn = Gate()
    variable.observe(ignoreFirst: true) { [log] in log.append($0) }.cleaned(by: dusts)
    other.observe(ignoreFirst: true) { [variable] _ in
      variable.value = 1
      hasSet.open()
      goOn.wait()
    }.cleaned(by: dusts)

    let beside = Beside { other.value = 1 }
    hasSet.wait()
    variable.value = 2
    #expect(log.entries == [1, 2])
    goOn.open()
    beside.join()

    #expect(log.entries == [1, 2])
  }

  /// The second thread leaves the value 2 to the delivering thread. That thread first delivers the change of
  /// `other`, which came earlier.
  @Test func pendingChangeIsDeliveredByTheNextWriterWhileAnUnrelatedObserverStillRuns() {
    let other = Variable(0)
    variable.observe(ignoreFirst: true) { [variable, log] value in
      log.append(value)
      guard value == 1 else { return }
      other.value = 1
      Beside { variable.value = 2 }.join()
    }.cleaned(by: dusts)
    other.observe(ignoreFirst: true) { [variable, log] _ in
      #expect(log.entries == [1])
      Beside { variable.value = 3 }.join()
      #expect(log.entries == [1, 2, 3])
    }.cleaned(by: dusts)

    variable.value = 1

    #expect(log.entries == [1, 2, 3])
  }

  @Test func observerOnCurrentRunsOnTheThreadThatMakesTheChange() {
    let threads = Log<ObjectIdentifier>()
    variable.observe { _ in threads.append(.currentThread) }.cleaned(by: dusts)

    let other = Log<ObjectIdentifier>()
    Beside {
      other.append(.currentThread)
      variable.value = 1
    }.join()

    #expect(threads.entries == [.currentThread] + other.entries)
  }

  // V3

  @Test func observerReadsSetsObservesAndCleansOnAnotherThreadWithoutDeadlock() {
    let log = Log<String>()
    let victim = variable.observe(ignoreFirst: true) { log.append("victim \($0)") }
    variable.observe(ignoreFirst: true) { [variable] value in
      Beside {
        log.append("read \(variable.value)")
        if value == 1 { variable.value = 2 }
        variable.observe { log.append("new \($0)") }.cleaned(by: DustBuster())
        victim.clean()
      }.join()
    }.cleaned(by: dusts)

    variable.value = 1

    #expect(log.entries == ["victim 1", "read 1", "new 2", "read 2", "new 2"])
  }

  // V4

  @Test func setInsideAnObserverAppliesImmediatelyAndIsDeliveredAfterTheCurrentChange() {
    let log = Log<String>()
    variable.observe(ignoreFirst: true) { [variable] value in
      log.append("first \(value)")
      if value == 1 {
        variable.value = 2
        #expect(variable.value == 2)
      }
    }.cleaned(by: dusts)
    variable.observe(ignoreFirst: true) { log.append("second \($0)") }.cleaned(by: dusts)

    variable.value = 1

    #expect(log.entries == ["first 1", "second 1", "first 2", "second 2"])
  }

  @Test func writesToSeveralVariablesInsideAnObserverAreDeliveredInTheOrderOfTheWrites() {
    let variables = [Variable(0), Variable(0), Variable(0)]
    let log = Log<[Int]>()
    for (index, variable) in variables.enumerated() {
      variable.observe(ignoreFirst: true) { log.append([index, $0]) }.cleaned(by: dusts)
    }
    let trigger = Variable(0)
    trigger.observe(ignoreFirst: true) { _ in
      variables[0].value = 1
      variables[1].value = 1
      variables[0].value = 2
      variables[2].value = 1
      variables[1].value = 2
    }.cleaned(by: dusts)

    trigger.value = 1

    #expect(log.entries == [[0, 1], [1, 1], [0, 2], [2, 1], [1, 2]])
  }

  @Test func setInsideAnObserversFirstCallIsDeliveredAfterThatCall() {
    let log = Log<String>()
    variable.observe(ignoreFirst: true) { log.append("old \($0)") }.cleaned(by: dusts)
    variable.observe { [variable] value in
      if value == 0 { variable.value = 1 }
      log.append("new \(value)")
    }.cleaned(by: dusts)

    #expect(log.entries == ["new 0", "old 1", "new 1"])
  }
}
