#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Observation
  import Synchronization
  import Testing

  /// Promise B5 with a version of Observation that doesn't hash key paths. Each test simulates this version
  /// in a process of its own.
  @Suite(.timeLimit(.minutes(20)))
  struct UndetectedTrackingTests {
    @Test func trackedConstantsCallOnChangeIfTrackingIsNotDetected() async {
      await #expect(processExitsWith: .success) {
        hashingIsIgnored.store(true, ordering: .relaxed)
        let variable = Variable(0)
        let table = VariableTable([Card("milk")])
        let parity = variable.map { $0 % 2 }.removeDuplicates()
        let log = Log<String>()
        let reads: [(String, @Sendable () -> Void)] = [
          ("variable", { _ = variable.constant.value }),
          ("parity", { _ = parity.value }),
          ("row", { _ = table.constant[id: "milk"] }),
          ("rows", { _ = table.constant.rows.value }),
        ]
        for (name, read) in reads {
          withObservationTracking(read) { log.append(name) }
        }

        variable.value = 2
        #expect(log.entries.sorted() == ["parity", "variable"])
        table[id: "milk"]?.title = "Oat milk"
        #expect(log.entries.sorted() == ["parity", "row", "rows", "variable"])
      }
    }

    @Test func readOutsideTrackingReturnsTheValueIfTrackingIsNotDetected() async {
      await #expect(processExitsWith: .success) {
        hashingIsIgnored.store(true, ordering: .relaxed)
        let variable = Variable(0)
        for value in 1...1_000 {
          variable.value = value
          #expect(variable.constant.value == value)
          #expect(variable.map { $0 + 1 }.value == value + 1)
        }
      }
    }
  }
#endif
