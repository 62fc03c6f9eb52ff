#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B3: a binding holds its target weakly, and ends when the target is freed. `observeChanges` skips no
  /// change.
  struct BindingInterleavings {
    @Test func scopedObservationEndsWhenItsObjectIsFreed() {
      explore { scenario in
        let variable = Variable(0)
        let (log, objects) = (Log<String>(), Log(Object()))
        for object in objects.entries {
          let ending = AtEnd { log.append("freed") }
          variable.observe(duringScopeOf: object, ignoreFirst: true) { value in
            withExtendedLifetime(ending) { log.append("\(value)") }
          }
        }
        scenario.thread { for value in 1...2 { variable.value = value } }
        scenario.thread { objects.removeAll() }
        scenario.check {
          variable.value = 3
          #expect([["freed"], ["1", "freed"], ["1", "2", "freed"]].contains(log.entries))
        }
      }
    }

    @Test func bindingOnAQueueSetsItsTargetUntilTheTargetIsFreed() {
      explore { scenario in
        let variable = Variable(0)
        let (log, objects) = (Log<Int>(), Log(Object()))
        let queue = DispatchQueue(label: "queue")
        scenario.thread {
          for object in objects.entries {
            variable.bind(to: object, on: .queue(queue)) { _, value in log.append(value) }
          }
          variable.value = 1
        }
        scenario.thread { objects.removeAll() }
        scenario.keep(variable)
        scenario.check { #expect([[], [0], [0, 1]].contains(log.entries)) }
      }
    }

    private final class Object: Sendable {}
  }
#endif
