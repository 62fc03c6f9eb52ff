#if DEBUG
  @testable import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// V2, V4, V6 and V8: changes are delivered in the order of the writes, and no change is lost. All
  /// observers receive a change before any observer receives the next change.
  struct OrderInterleavings {
    @Test func allObserversReceiveAChangeBeforeAnyObserverReceivesTheNextChange() {
      explore { scenario in
        let (variable, log) = (Variable(0), Log<String>())
        _ = variable.observe(ignoreFirst: true) {
          log.append("first begins \($0)")
          log.append("first ends \($0)")
        }
        _ = variable.observe(ignoreFirst: true) { log.append("second \($0)") }
        scenario.threads(1...2) { variable.value = $0 }
        scenario.check {
          let expected = [3 - variable.value, variable.value].flatMap {
            ["first begins \($0)", "first ends \($0)", "second \($0)"]
          }
          #expect(log.entries == expected)
        }
      }
    }

    @Test func observerIsCalledOnTheWritingThreadOrOnTheThreadThatIsAlreadyDelivering() {
      explore { scenario in
        let (variable, number) = (Variable(0), ThreadLocal())
        let log = variable.logChanges { [$0, number.value] }
        scenario.threads(1...2) {
          number.value = $0
          variable.value = $0
        }
        scenario.check {
          let logs = [
            [[1, 1], [2, 2]], [[1, 1], [2, 1]], [[2, 2], [1, 1]], [[2, 2], [1, 2]],
          ]
          #expect(logs.contains(log.entries))
        }
      }
    }

    @Test func valueSetInAnObserverIsDeliveredAfterAllObserversReceiveTheCurrentChange() {
      explore { scenario in
        let (variable, log) = (Variable(0), Log<String>())
        _ = variable.observe(ignoreFirst: true) { [weak variable] value in
          log.append("first \(value)")
          if value == 1 { variable?.value = 10 }
        }
        _ = variable.observe(ignoreFirst: true) { log.append("second \($0)") }
        scenario.threads(1...2) { variable.value = $0 }
        scenario.check {
          let logs = [[1, 10, 2], [1, 2, 10], [2, 1, 10]]
            .filter { $0.last == variable.value }
            .map { $0.flatMap { ["first \($0)", "second \($0)"] } }
          #expect(logs.contains(log.entries))
        }
      }
    }

    /// An observer might wait until its own write is delivered. A thread that is already delivering the
    /// variable delivers that write.
    @Test func writeOfAnObserverIsDeliveredByTheDeliveringThreadBeforeTheObserverReturns() {
      explore { scenario in
        let (variable, trigger) = (Variable(0), Variable(0))
        let (log, isWaitedForInVain) = (Log<String>(), Log<Bool>())
        _ = variable.observe(ignoreFirst: true) {
          log.append("begin \($0)")
          log.append("end \($0)")
        }
        _ = trigger.observe(ignoreFirst: true) { _ in
          variable.value = 2
          // Waits only while the first thread is delivering the variable.
          guard log.entries == ["begin 1"] else { return }
          for _ in 0..<200 { currentThread().yieldProcessor() }
          isWaitedForInVain.append(log.last != "end 2")
        }
        scenario.thread { variable.value = 1 }
        scenario.thread { trigger.value = 1 }
        scenario.check { #expect(!isWaitedForInVain.entries.contains(true)) }
      }
    }

    @Test func concurrentMutationsOfAVariableLoseNoChange() {
      explore { scenario in
        let (variable, results) = (Variable(0), Log<Int>())
        let log = variable.logChanges()
        scenario.thread { variable.value += 1 }
        scenario.thread {
          let result = variable.modify {
            $0 += 10
            return $0
          }
          results.append(result)
        }
        scenario.check {
          #expect([[1, 11], [10, 11]].contains(log.entries))
          #expect(results.entries == [log.entries.contains(1) ? 11 : 10])
        }
      }
    }
  }
#endif
