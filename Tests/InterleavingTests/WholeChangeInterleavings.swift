#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1: a diamond (a combined constant whose sources share a variable) calls its observers once for each
  /// change, in order. The diamond never mixes old and new values.
  struct WholeChangeInterleavings {
    @Test func mutationAndTheWritesInItsBodyAreDeliveredAsOneChange() {
      explore { scenario in
        let (left, right) = (Variable(0), Variable(0))
        let log = Constant.combine(left, right).logChanges { [$0.0, $0.1] }
        scenario.thread {
          left.modify {
            right.value = 1
            $0 = 1
          }
        }
        scenario.thread { left.value = 2 }
        scenario.check {
          #expect(log.entries == (left.value == 2 ? [[1, 1], [2, 1]] : [[2, 0], [1, 1]]))
        }
      }
    }
  }
#endif
