#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// V1 and V2: calls of an observer on a queue don't overlap, and arrive in the order of the writes. On
  /// `.main`, a synchronous delivery doesn't overtake a queued delivery.
  struct QueueInterleavings {
    /// A value that is set on main reaches the main queue after all changes that were sent to that queue
    /// earlier.
    @Test func changeWrittenOnMainDoesNotOvertakeQueuedChangesToOtherVariables() {
      explore { scenario in
        let (trigger, one, other) = (Variable(0), Variable(0), Variable(0))
        let (log, queue) = (Log<String>(), ExecuteQueue.main)
        _ = trigger.observe(on: queue, ignoreFirst: true) { _ in
          log.append("set")
          one.value = 2
        }
        _ = one.observe(on: queue, ignoreFirst: true) { log.append("one \($0)") }
        _ = other.observe(on: queue, ignoreFirst: true) { log.append("other \($0)") }
        scenario.thread {
          trigger.value = 1
          one.value = 1
          other.value = 1
          log.append("sent")
        }
        scenario.keep(trigger, one, other)
        scenario.check {
          let entries = log.entries
          #expect(entries.sorted() == ["one 1", "one 2", "other 1", "sent", "set"])
          if entries[..<2] == ["sent", "set"] {
            #expect(entries[2...] == ["one 1", "other 1", "one 2"])
          }
        }
      }
    }

    @Test func observersOnAQueueReceiveChangesToTwoVariablesInTheOrderOfTheWrites() {
      explore { scenario in
        let (one, other, log) = (Variable(0), Variable(0), Log<String>())
        let queue = ExecuteQueue.queue(DispatchQueue(label: "queue"))
        _ = one.observe(on: queue, ignoreFirst: true) { log.append("one \($0)") }
        _ = other.observe(on: queue, ignoreFirst: true) { log.append("other \($0)") }
        scenario.thread {
          one.value = 1
          other.value = 1
          one.value = 2
        }
        scenario.keep(one, other)
        scenario.check { #expect(log.entries == ["one 1", "other 1", "one 2"]) }
      }
    }
  }
#endif
