#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// V1: an observer is called with the current value, and then with each later change once, in the order
  /// of the writes. No write is lost between the first value and the changes.
  struct SubscribingInterleavings {
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
  }
#endif
