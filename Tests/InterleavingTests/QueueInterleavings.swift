#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// V1 and V2: calls of an observer on a queue don't overlap, and arrive in the order of the writes. On
  /// `.main`, a synchronous delivery doesn't overtake a queued delivery.
  struct QueueInterleavings {
    @Test func observerOnAQueueReceivesChangesInTheOrderOfTheWrites() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<Int>()
        let queue = DispatchQueue(label: "queue")
        let dust = variable.observe(on: .queue(queue), ignoreFirst: true) { log.append($0) }
        for value in 1...2 {
          scenario.thread { variable.value = value }
        }
        scenario.check {
          withExtendedLifetime(dust) {
            #expect(log.entries == [3 - variable.value, variable.value])
          }
        }
      }
    }

    @Test func synchronousDeliveryOnMainDoesNotOvertakeAQueuedDelivery() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<String>()
        let queue = ExecuteQueue.main
        let dust = variable.observe(on: queue, ignoreFirst: true) {
          log.append("begins \($0)")
          log.append("ends \($0)")
        }
        scenario.thread { variable.value = 1 }
        scenario.mainThread { variable.value = 2 }
        scenario.check {
          withExtendedLifetime(dust) {
            let last = variable.value
            let expected = [3 - last, last].flatMap { ["begins \($0)", "ends \($0)"] }
            #expect(log.entries == expected)
          }
        }
      }
    }

    @Test func observerOnMainReceivesTheFirstValueBeforeAnyChange() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<Int>()
        let queue = ExecuteQueue.main
        scenario.mainThread {
          _ = variable.observe(on: queue) { log.append($0) }
          variable.value = 2
        }
        scenario.thread { variable.value = 1 }
        scenario.check {
          withExtendedLifetime(variable) {
            let allowed = variable.value == 1 ? [[0, 2, 1]] : [[0, 1, 2], [1, 2]]
            #expect(allowed.contains(log.entries))
          }
        }
      }
    }

    @Test func valueSetInAnObserverOnMainIsDeliveredInTheOrderOfTheWrites() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<Int>()
        let queue = ExecuteQueue.main
        let dust = variable.observe(on: queue, ignoreFirst: true) { [weak variable] value in
          log.append(value)
          if value == 1 { variable?.value = 3 }
        }
        scenario.mainThread { variable.value = 1 }
        scenario.thread { variable.value = 2 }
        scenario.check {
          withExtendedLifetime(dust) {
            let allowed = variable.value == 2 ? [[1, 3, 2]] : [[1, 2, 3], [2, 1, 3]]
            #expect(allowed.contains(log.entries))
          }
        }
      }
    }

    /// A value that is set on main reaches the main queue after all changes that were sent to that queue
    /// earlier.
    @Test func changeWrittenOnMainDoesNotOvertakeQueuedChangesToOtherVariables() {
      explore { scenario in
        let (trigger, one, other) = (Variable(0), Variable(0), Variable(0))
        let log = Log<String>()
        let queue = ExecuteQueue.main
        let dusts = [
          trigger.observe(on: queue, ignoreFirst: true) { _ in
            log.append("set")
            one.value = 2
          },
          one.observe(on: queue, ignoreFirst: true) { log.append("one \($0)") },
          other.observe(on: queue, ignoreFirst: true) { log.append("other \($0)") },
        ]
        scenario.thread {
          trigger.value = 1
          one.value = 1
          other.value = 1
          log.append("sent")
        }
        scenario.check {
          withExtendedLifetime((trigger, one, other, dusts)) {
            let entries = log.entries
            #expect(entries.sorted() == ["one 1", "one 2", "other 1", "sent", "set"])
            if entries[..<2] == ["sent", "set"] {
              #expect(entries[2...] == ["one 1", "other 1", "one 2"])
            }
          }
        }
      }
    }

    @Test func observersOnAQueueReceiveChangesToTwoVariablesInTheOrderOfTheWrites() {
      explore { scenario in
        let (one, other) = (Variable(0), Variable(0))
        let log = Log<String>()
        let queue = DispatchQueue(label: "queue")
        let dusts = [
          one.observe(on: .queue(queue), ignoreFirst: true) { log.append("one \($0)") },
          other.observe(on: .queue(queue), ignoreFirst: true) { log.append("other \($0)") },
        ]
        scenario.thread {
          one.value = 1
          other.value = 1
          one.value = 2
        }
        scenario.check {
          withExtendedLifetime((one, other, dusts)) {
            #expect(log.entries == ["one 1", "other 1", "one 2"])
          }
        }
      }
    }

    @Test func observerOnAQueueReceivesATransactionAsOneChange() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<Int>()
        let queue = DispatchQueue(label: "queue")
        let dust = variable.observe(on: .queue(queue), ignoreFirst: true) { log.append($0) }
        scenario.thread {
          Dispatcher.shared.transaction {
            variable.value = 1
            variable.value = 3
          }
        }
        scenario.thread { variable.value = 2 }
        scenario.check {
          withExtendedLifetime(dust) {
            let logs = variable.value == 3 ? [[2, 3], [3]] : [[3, 2], [2]]
            #expect(logs.contains(log.entries))
          }
        }
      }
    }
  }
#endif
