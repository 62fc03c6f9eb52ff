#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: an observer that subscribes to a derived constant during changes receives one value first. The
  /// observer never receives half of a later transaction.
  struct DerivedObservingInterleavings {
    /// The new outer constant also receives a change that a thread is still delivering to the inner
    /// constant.
    @Test func combinedConstantObservedDuringChangesToItsSourceEndsWithTheLastValues() {
      explore { scenario in
        let (left, right, log) = (Variable(0), Variable(0), Log<[Int]>())
        let both = Constant.combine(left, right)
        let outer = Constant.combine(right, both)
        _ = both.observe(ignoreFirst: true) { _ in }
        scenario.transaction { for value in 1...2 { left.value = value } }
        scenario.thread {
          right.value = 1
          outer.observe(in: log) { [$0.0, $0.1.0, $0.1.1] }
        }
        scenario.check {
          #expect(log.last == [1, 2, 1])
          #expect(log.entries.allSatisfy { $0[0] == $0[2] })
        }
      }
    }
  }
#endif
