#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting
  import Testing

  /// B4: sequences of values, for tasks.
  struct SequenceInterleavings {
    @Test func aConsumerGetsTheFirstValueAndTheLast() {
      explore { scenario in
        let variable = Variable(0)
        let seen = Trace<Int>()
        scenario.task {
          for await value in variable.values {
            seen.append(value)
            if value == 2 { break }
          }
        }
        scenario.thread {
          variable.value = 1
          variable.value = 2
        }
        scenario.check { #expect([[0, 1, 2], [0, 2], [1, 2], [2]].contains(seen.entries)) }
      }
    }
  }
#endif
