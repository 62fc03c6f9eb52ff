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
        let (variable, log) = (Variable(0), Log<Int>())
        scenario.thread { variable.observe(in: log) }
        scenario.thread { for value in 1...2 { variable.value = value } }
        scenario.check { #expect([[0, 1, 2], [1, 2], [2]].contains(log.entries)) }
      }
    }

    @Test func observerThatIgnoresTheFirstValueReceivesEveryLaterChange() {
      explore { scenario in
        let (variable, log) = (Variable(0), Log<Int>())
        scenario.thread { _ = variable.observe(ignoreFirst: true) { log.append($0) } }
        scenario.thread { for value in 1...2 { variable.value = value } }
        scenario.check { #expect([[1, 2], [2], []].contains(log.entries)) }
      }
    }

    @Test func observerThatSubscribesOnAQueueDuringAWriteMissesNoWriteAfterItsFirstValue() {
      explore { scenario in
        let (variable, log) = (Variable(0), Log<Int>())
        let queue = DispatchQueue(label: "queue")
        scenario.thread { _ = variable.observe(on: .queue(queue)) { log.append($0) } }
        scenario.thread { variable.value = 1 }
        scenario.keep(variable)
        scenario.check { #expect([[0, 1], [1]].contains(log.entries)) }
      }
    }

    /// The first value can come from the middle of the transaction. The transaction is still delivered as
    /// one change.
    @Test func observerThatSubscribesDuringATransactionEndsWithItsLastValue() {
      typealias Case = (
        constant: (Variable<Int>) -> Constant<Int>, writes: [Int], logs: [[Int]], others: [Int]
      )
      // An observer that subscribes during the transaction can receive the last value twice.
      let perhapsTwice = [[0, 2], [1, 2], [2], [2, 2]]
      let cases: [Case] = [
        ({ Constant($0) }, [1, 2], [[0, 2], [1, 2], [2]], [2]),
        ({ $0.map { $0 * 10 } }, [1, 2], [[0, 20], [10, 20], [20]], [20]),
        ({ $0.removeDuplicates() }, [1, 2], perhapsTwice, [2]),
        ({ Constant.combine($0, Variable(0)).map { $0.0 } }, [1, 2], perhapsTwice, [2]),
        // For earlier observers, these transactions change nothing.
        ({ $0.removeDuplicates() }, [0, 0], [[0], [0, 0]], []),
        ({ $0.removeDuplicates() }, [1, 0], [[0], [0, 0], [1, 0]], []),
        ({ $0.map { $0 * 10 }.removeDuplicates() }, [1, 0], [[0], [0, 0], [10, 0]], []),
      ]
      for (constant, writes, logs, expectedOthers) in cases {
        explore { scenario in
          let (number, log) = (Variable(0), Log<Int>())
          let observed = constant(number)
          let others = observed.logChanges()
          scenario.transaction { for value in writes { number.value = value } }
          scenario.thread { observed.observe(in: log) }
          scenario.check {
            #expect(logs.contains(log.entries))
            #expect(others.entries == expectedOthers)
          }
        }
      }
    }

    @Test func observerAddedInsideAnObserverReceivesEachLaterChangeOnce() {
      explore { scenario in
        let (variable, outer, inner) = (Variable(0), Log<Int>(), Log<Int>())
        _ = variable.observe(ignoreFirst: true) { [weak variable] value in
          outer.append(value)
          if outer.entries.count == 1 { variable?.observe(in: inner) }
        }
        scenario.threads(1...2) { variable.value = $0 }
        scenario.keep(variable)
        scenario.check {
          let (outer, inner) = (outer.entries, inner.entries)
          #expect([[1, 2], [2, 1]].contains(outer))
          #expect([outer, [outer[1]]].contains(inner))
        }
      }
    }

    @Test func twoObserversThatSubscribeConcurrentlyBothReceiveEveryLaterChange() {
      explore { scenario in
        let (variable, logs) = (Variable(0), [Log<Int>(), Log<Int>()])
        scenario.threads(0...1) {
          variable.observe(in: logs[$0])
          variable.value += 1
        }
        scenario.check {
          for log in logs { #expect([[0, 1, 2], [1, 2]].contains(log.entries)) }
        }
      }
    }
  }
#endif
