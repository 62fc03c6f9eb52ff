#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: `removeDuplicates` compares each new value with the last delivered value.
  struct DerivedHistoryInterleavings {
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
  }
#endif
