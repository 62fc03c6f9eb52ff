#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: `removeDuplicates` compares each new value with the previous value, which was either delivered or
  /// read.
  struct DerivedHistoryInterleavings {
    @Test func readOfRemoveDuplicatesReturnsANewValueThatDiffersFromTheLastDeliveredValue() {
      explore { scenario in
        let number = Variable(11)
        let tens = skippingEqualTens(of: number)
        let log = Log<Int>()
        log.append(tens.value)
        scenario.thread {
          let dust = tens.observe { log.append($0) }
          number.value = 21
          dust.clean()
          number.value = 12
          log.append(tens.value)
        }
        scenario.thread { _ = tens.value }
        scenario.check { #expect(log.entries == [11, 11, 21, 12]) }
      }
    }

    @Test func readOfRemoveDuplicatesReturnsANewValueThatDiffersFromThePreviouslyReadValue() {
      explore { scenario in
        let number = Variable(11)
        let tens = skippingEqualTens(of: number)
        let log = Log<Int>()
        tens.observe { log.append($0) }.clean()
        scenario.thread {
          number.value = 21
          log.append(tens.value)
          number.value = 12
          log.append(tens.value)
        }
        scenario.thread { _ = number.value }
        scenario.check { #expect(log.entries == [11, 21, 12]) }
      }
    }

    /// The predicate treats 11 and 12 as equal. The observer's thread reads 12 before that value is
    /// delivered.
    @Test func readOfRemoveDuplicatesIgnoresAValueReadBeforeThePendingChangeIsDelivered() {
      explore { scenario in
        let (number, trigger) = (Variable(11), Variable(0))
        let tens = skippingEqualTens(of: number)
        let log = Log<Int>()
        log.append(tens.value)
        let dust = tens.observe { log.append($0) }
        let other = trigger.observe(ignoreFirst: true) { _ in
          // The library delivers the change after this observer has returned.
          number.value = 12
          log.append(tens.value)
        }
        scenario.thread {
          trigger.value = 1
          dust.clean()
          number.value = 13
          log.append(tens.value)
        }
        scenario.thread { _ = number.value }
        scenario.check {
          #expect(log.entries == [11, 11, 12, 11])
          withExtendedLifetime(other) {}
        }
      }
    }

    /// The observer starts with the uncommitted 12, which doesn't count as delivered.
    @Test func readOfRemoveDuplicatesReturnsANewValueThatDiffersFromTheCommittedValue() {
      explore { scenario in
        let number = Variable(31)
        let tens = skippingEqualTens(of: number)
        let log = Log<Int>()
        log.append(tens.value)
        let dust = number.observe { _ in }
        scenario.thread {
          let dusts = DustBuster()
          Dispatcher.shared.transaction {
            number.value = 12
            tens.observe { log.append($0) }.cleaned(by: dusts)
            number.value = 21
          }
          dusts.clean()
          number.value = 13
          log.append(tens.value)
        }
        scenario.thread { _ = number.value }
        scenario.check {
          #expect(log.entries == [31, 12, 21, 13])
          withExtendedLifetime(dust) {}
        }
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

    @Test func mapOfRemoveDuplicatesIsNotComputedAgainWhenAnEqualValueIsWritten() {
      explore { scenario in
        let number = Variable(0)
        let computed = Log<Int>()
        let next = number.removeDuplicates().map {
          computed.append($0)
          return $0 + 1
        }
        _ = next.value
        for _ in 1...2 {
          scenario.thread {
            number.value = 0
            #expect(next.value == 1)
          }
        }
        scenario.check { #expect(computed.entries == [0]) }
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
