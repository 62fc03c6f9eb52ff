#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// When the observers of derived constants are called, and with which first value.
  struct DerivedOrderTests {
    private let a = Variable(0)
    private let b = Variable(0)
    private let c = Variable(0)
    private let x = Variable(0)
    private let log = Log<String>()

    // MARK: The order of a combination's observers (V4, promises 12 and 13)

    @Test func combinationOfConstantsIsDeliveredBeforeTheWriteOfAnObserver() {
      _ = a.observe(ignoreFirst: true) { [x] _ in x.value = 1 }
      _ = x.observe(ignoreFirst: true) { [log] in log.append("x \($0)") }
      _ = Constant.combine(a.map { $0 }, b.map { $0 })
        .observe(ignoreFirst: true) { [log] in log.append("both \($0.0)") }

      Dispatcher().transaction { (a.value, b.value) = (1, 1) }

      #expect(log.entries == ["both 1", "x 1"])
    }

    @Test func nestedCombinationIsDeliveredBeforeTheNextWriteToItsVariable() {
      _ = a.observe(ignoreFirst: true) { [a, log] in
        log.append("a \($0)")
        if $0 == 1 { a.value = 2 }
      }
      _ = Constant.combine(Constant.combine(a, b).map(\.0), c)
        .observe(ignoreFirst: true) { [log] in log.append("all \($0.0)") }

      a.value = 1

      #expect(log.entries == ["a 1", "all 1", "a 2", "all 2"])
    }

    /// The combination of combinations is delivered at the place of its last variable, too.
    @Test func combinationIsDeliveredAfterItsLastVariableAndBeforeLaterEvents() {
      let (sink, both) = (Sink<Int>(), Constant.combine(a, b))
      _ = Constant.combine(both, a).observe(ignoreFirst: true) { [log] _ in log.append("all") }
      _ = both.observe(ignoreFirst: true) { [log] _ in log.append("both") }
      for (name, variable) in [("a", a), ("b", b), ("c", c)] {
        _ = variable.observe(ignoreFirst: true) { [log] _ in log.append(name) }
      }
      _ = sink.signal.observe { [log] in log.append("event \($0)") }

      Dispatcher().transaction {
        sink.send(1)
        a.value = 1
        sink.send(2)
        b.value = 1
        sink.send(3)
        c.value = 1
      }

      let last = ["event 3", "c"]
      #expect(log.entries == ["event 1", "a", "event 2", "b", "both", "all"] + last)
    }

    // MARK: Observers that are added in or after a transaction (promises 17 and 18)

    @Test func newCombinationDoesNotAwaitAnUnrelatedTransaction() {
      for variable in [a, b, c] { _ = variable.observe { _ in } }
      let (isOpen, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let hasEnded = DispatchSemaphore(value: 0)
      DispatchQueue.global().async { [c] in
        Dispatcher().transaction {
          c.value = 1
          isOpen.signal()
          mayEnd.wait()
        }
        hasEnded.signal()
      }
      isOpen.wait()
      let all = Constant.combine(a, b, c).map { a, b, _ in "\(a)\(b)" }
      Dispatcher().transaction {
        a.value = 1
        _ = all.observe { [log] in log.append($0) }
        b.value = 1
      }
      a.value = 2

      #expect(log.entries == ["10", "11", "21"])
      mayEnd.signal()
      hasEnded.wait()
    }

    @Test func observerStartsWithTheWholeTransactionIfTheVariableHadNoObserver() {
      let text = a.map { "\($0)" }
      _ = x.observe(ignoreFirst: true) { [a, log] _ in
        Dispatcher().transaction {
          a.value = 1
          _ = text.observe { _ in }
          a.value = 2
        }
        _ = text.observe { log.append($0) }
      }

      x.value = 1

      #expect(log.entries == ["2"])
    }

    /// V1: nobody else observes the constant.
    @Test func constantThatIsObservedAgainDuringADeliveryStartsWithTheCurrentValue() {
      let text = a.map { "\($0)" }
      let dust = text.observe { _ in }
      _ = a.map { $0 }.observe(ignoreFirst: true) { [a, log] in
        guard $0 == 1 else { return }
        dust.clean()
        a.value = 5
        _ = text.observe { log.append($0) }
      }

      a.value = 1

      #expect(log.entries == ["5"])
    }

    /// The constant that skips equal values is observed in the transaction that sets the value twice.
    @Test func equalValueIsSkippedAfterAnObservationInATransaction() {
      _ = a.observe { _ in }

      Dispatcher().transaction {
        a.value = 1
        _ = a.removeDuplicates().observe { [log] in log.append("\($0)") }
        a.value = 1
      }

      #expect(log.entries == ["1"])
    }
  }
#endif
