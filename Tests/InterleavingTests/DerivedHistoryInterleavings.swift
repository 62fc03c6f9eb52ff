#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: `removeDuplicates` compares each new value with the last delivered value.
  struct DerivedHistoryInterleavings {
    @Test func readOfAnObservedRemoveDuplicatesReturnsTheValueThatObserversReceivedLast() {
      explore { scenario in
        let number = Variable(11)
        let tens = number.removeDuplicates { $0 / 10 == $1 / 10 }
        _ = tens.observe { _ in }
        scenario.thread {
          number.value = 12
          #expect(tens.value == 11)
        }
        scenario.thread { _ = tens.value }
      }
    }

    @Test func removeDuplicatesDoesNotCompareACommittedValueWithAnUncommittedValue() {
      explore { scenario in
        let (number, log) = (Variable(0), Log<Int>())
        let tens = number.removeDuplicates { $0 / 10 == $1 / 10 }
        _ = number.observe { _ in }
        scenario.transaction {
          number.value = 14
          tens.observe(in: log)
          number.value = 12
        }
        scenario.thread { _ = number.value }
        scenario.check {
          #expect(log.entries == [14, 12])
          #expect(tens.value == 12)
        }
      }
    }

    @Test func mapIsNotComputedForPendingChangesWrittenBeforeItsObserverSubscribed() {
      explore { scenario in
        let (number, computed) = (Variable(0), Log<Int>())
        let same = number.map { $0 }
        let cleaned = same.observe(ignoreFirst: true) { _ in }
        _ = same.observe(ignoreFirst: true) { _ in }
        _ = number.observe(ignoreFirst: true) { [weak number] value in
          guard value == 1, let number else { return }
          // The library delivers both changes after this observer has returned.
          for value in 2...3 { number.value = value }
          let counted = number.map { value in
            computed.append(value)
            return value
          }
          _ = counted.observe { _ in }
          cleaned.clean()
        }
        scenario.thread { number.value = 1 }
        scenario.thread { _ = number.value }
        scenario.check { #expect(computed.entries == [3]) }
      }
    }
  }
#endif
