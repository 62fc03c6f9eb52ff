#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1, V1 and V2: the thread that delivers a variable also delivers the variable's maps. Each map
  /// delivers every change once and in order.
  struct MapInterleavings {
    /// A variable and its maps are delivered together, even during concurrent reads. Constants that combine
    /// several variables are delivered after all variables that the transaction has written.
    @Test func transactionDeliversVariablesAndTheirMapsBeforeCombinedConstants() {
      explore { scenario in
        let (first, second, log) = (Variable(0), Variable(0), Log<String>())
        let (mapped, both) = (first.map { $0 }, Constant.combine(first, Variable(0)))
        _ = first.observe(ignoreFirst: true) { _ in log.append("first") }
        _ = second.observe(ignoreFirst: true) { _ in log.append("second") }
        _ = both.observe(ignoreFirst: true) { log.append("both \($0.0)") }
        _ = mapped.observe(ignoreFirst: true) { log.append("mapped \($0)") }
        scenario.transaction { (first.value, second.value) = (1, 1) }
        scenario.thread { #expect([0, 1].contains(both.value.0)) }
        scenario.check { #expect(log.entries == ["first", "mapped 1", "second", "both 1"]) }
      }
    }

    @Test func combinedConstantIsDeliveredAfterTheVariableThatAnObserverHasWritten() {
      explore { scenario in
        let (trigger, number, log) = (Variable(0), Variable(0), Log<String>())
        let both = Constant.combine(number, Variable(0))
        _ = trigger.observe(ignoreFirst: true) { number.value = $0 }
        _ = both.observe(ignoreFirst: true) { _ in log.append("both") }
        _ = number.observe(ignoreFirst: true) { _ in log.append("number") }
        scenario.thread { trigger.value = 1 }
        scenario.thread { _ = both.value }
        scenario.check { #expect(log.entries == ["number", "both"]) }
      }
    }

    /// The transform writes a variable while the combined constant computes its first value.
    @Test func writeInAMapsTransformIsDeliveredAfterTheFirstValueOfACombinedConstant() {
      explore { scenario in
        let (left, right, log) = (Variable(0), Variable(0), Log<[Int]>())
        let isWritten = Flag()
        let tenfold = left.map { value in
          if !isWritten.isSet {
            isWritten.set()
            right.value = 1
          }
          return value * 10
        }
        let both = Constant.combine(tenfold, right)
        scenario.thread { both.observe(in: log) { [$0.0, $0.1] } }
        scenario.thread { _ = right.value }
        scenario.check { #expect(log.entries == [[0, 0], [0, 1]]) }
      }
    }
  }
#endif
