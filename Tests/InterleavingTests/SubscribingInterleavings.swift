#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// V1: an observer is called with the current value, and then with each later change once, in the order
  /// of the writes. No write is lost between the first value and the changes.
  struct SubscribingInterleavings {
    @Test func observerThatSubscribesDuringWritesMissesNoWriteAfterItsFirstValue() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<Int>()
        scenario.thread { _ = variable.observe { log.append($0) } }
        scenario.thread {
          variable.value = 1
          variable.value = 2
        }
        scenario.check {
          withExtendedLifetime(variable) {
            #expect([[0, 1, 2], [1, 2], [2]].contains(log.entries))
          }
        }
      }
    }

    @Test func observerThatIgnoresTheFirstValueReceivesEveryLaterChange() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<Int>()
        scenario.thread { _ = variable.observe(ignoreFirst: true) { log.append($0) } }
        scenario.thread {
          variable.value = 1
          variable.value = 2
        }
        scenario.check {
          withExtendedLifetime(variable) { #expect([[1, 2], [2], []].contains(log.entries)) }
        }
      }
    }

    @Test func observerThatSubscribesOnAQueueDuringAWriteMissesNoWriteAfterItsFirstValue() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<Int>()
        let queue = DispatchQueue(label: "queue")
        scenario.thread { _ = variable.observe(on: .queue(queue)) { log.append($0) } }
        scenario.thread { variable.value = 1 }
        scenario.check {
          withExtendedLifetime(variable) { #expect([[0, 1], [1]].contains(log.entries)) }
        }
      }
    }

    /// The first value can come from the middle of the transaction. The transaction is still delivered as
    /// one change.
    @Test func observerThatSubscribesDuringATransactionReceivesItsLastValueOnce() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<Int>()
        scenario.thread {
          Dispatcher.shared.transaction {
            variable.value = 1
            variable.value = 2
          }
        }
        scenario.thread { _ = variable.observe { log.append($0) } }
        scenario.check {
          withExtendedLifetime(variable) { #expect([[0, 2], [1, 2], [2]].contains(log.entries)) }
        }
      }
    }

    @Test func observerAddedInsideAnObserverReceivesEachLaterChangeOnce() {
      explore { scenario in
        let variable = Variable(0)
        let (outer, inner) = (Log<Int>(), Log<Int>())
        let dust = variable.observe(ignoreFirst: true) { [weak variable] value in
          outer.append(value)
          if outer.entries.count == 1 { _ = variable?.observe { inner.append($0) } }
        }
        scenario.thread { variable.value = 1 }
        scenario.thread { variable.value = 2 }
        scenario.check {
          withExtendedLifetime((variable, dust)) {
            let (outer, inner) = (outer.entries, inner.entries)
            #expect([[1, 2], [2, 1]].contains(outer))
            #expect([outer, [outer[1]]].contains(inner))
          }
        }
      }
    }

    @Test func twoObserversThatSubscribeConcurrentlyBothReceiveEveryLaterChange() {
      explore { scenario in
        let variable = Variable(0)
        let logs = [Log<Int>(), Log<Int>()]
        for log in logs {
          scenario.thread {
            _ = variable.observe { log.append($0) }
            variable.value += 1
          }
        }
        scenario.check {
          withExtendedLifetime(variable) {
            for log in logs { #expect([[0, 1, 2], [1, 2]].contains(log.entries)) }
          }
        }
      }
    }
  }
#endif
