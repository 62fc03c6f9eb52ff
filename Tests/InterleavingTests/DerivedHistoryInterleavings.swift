#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: `removeDuplicates` compares each new value with the last delivered value.
  struct DerivedHistoryInterleavings {
    @Test func readOfAnObservedRemoveDuplicatesReturnsTheValueThatObserversReceivedLast() {
      explore { scenario in
        let number = Variable(11)
        let tens = skippingEqualTens(of: number)
        let dust = tens.observe { _ in }
        scenario.thread {
          number.value = 12
          #expect(tens.value == 11)
        }
        scenario.thread { _ = tens.value }
        scenario.check { withExtendedLifetime(dust) {} }
      }
    }

    @Test func removeDuplicatesDoesNotCompareACommittedValueWithAnUncommittedValue() {
      explore { scenario in
        let number = Variable(0)
        let tens = skippingEqualTens(of: number)
        let log = Log<Int>()
        let dusts = Log(number.observe { _ in })
        scenario.thread {
          Dispatcher.shared.transaction {
            number.value = 14
            dusts.append(tens.observe { log.append($0) })
            number.value = 12
          }
        }
        scenario.thread { _ = number.value }
        scenario.check {
          #expect(log.entries == [14, 12])
          #expect(tens.value == 12)
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func mapIsNotComputedForPendingChangesWrittenBeforeItsObserverSubscribed() {
      explore { scenario in
        let number = Variable(0)
        let computed = Log<Int>()
        let same = number.map { $0 }
        let cleaned = same.observe(ignoreFirst: true) { _ in }
        let dusts = Log(cleaned, same.observe(ignoreFirst: true) { _ in })
        dusts.append(
          number.observe(ignoreFirst: true) { [weak number] value in
            guard value == 1, let number else { return }
            // The library delivers both changes after this observer has returned.
            number.value = 2
            number.value = 3
            let counted = number.map { value in
              computed.append(value)
              return value
            }
            dusts.append(counted.observe { _ in })
            cleaned.clean()
          }
        )
        scenario.thread { number.value = 1 }
        scenario.thread { _ = number.value }
        scenario.check {
          #expect(computed.entries == [3])
          withExtendedLifetime(dusts) {}
        }
      }
    }
  }

  private func skippingEqualTens(of number: Variable<Int>) -> Constant<Int> {
    number.removeDuplicates { $0 / 10 == $1 / 10 }
  }
#endif
