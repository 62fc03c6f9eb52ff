import FluxCapacitor
import FluxCapacitorTestSupport
import Observation
import Testing

/// B5 and V7: the library adds no calls of `onChange`, and keeps no `onChange` closure alive.
@Suite(.timeLimit(.minutes(20)))
struct TrackingLifetimeTests {
  private let calls = Tally()
  private let tally = Tally()

  @Test(arguments: [600, 5_000], [0, 1, 2])
  func trackingOfManyConstantsCallsOnChangeAtMostOnceAndIsFreed(count: Int, changes: Int) {
    do {
      let variables = (0..<count).map { _ in Variable(0) }
      let counted = Counted(tally)
      withObservationTracking {
        for variable in variables { _ = variable.constant.value }
      } onChange: { [calls] in
        counted.pass(calls.add())
      }

      for variable in variables.dropFirst(count / 2).prefix(changes) { variable.value = 1 }

      #expect(calls.value == min(changes, 1))
    }
    #expect(tally.value == 0)
  }

  @Test func trackingOfARowReadBySubscriptIsFreedWithTheTable() {
    do {
      let cards = table("ab")
      let counted = Counted(tally)
      withObservationTracking {
        _ = (cards.constant[id: "a"], cards.constant[id: "missing"])
      } onChange: {
        counted.pass(())
      }
      #expect(tally.value == 1)
    }
    #expect(tally.value == 0)
  }

  /// Observation releases the closures of a deallocated registrar under the registrar's lock. The
  /// change of `other` calls an `onChange` closure that Observation has to remove from the same registrar.
  @Test(arguments: [false, true])
  func deinitOfACapturedObjectCanChangeAnotherTrackedConstant(isRow: Bool) {
    let other = Variable(0)
    do {
      let cards = table("a")
      let read: () -> Void =
        isRow ? { _ = cards.constant[id: "a"] } : { _ = cards.constant.rows.value }
      for _ in 0..<10 {
        let writer = AtEnd { other.value += 1 }
        withObservationTracking(read) { withExtendedLifetime(writer) {} }
        withObservationTracking {
          read()
          _ = other.constant.value
        } onChange: { [calls] in
          calls.add()
        }
      }
    }
    #expect(other.value == 10)
    #expect(calls.value == 10)
  }

  #if DEBUG
    @Test func deallocatedRegistrarsCallNoUnrelatedOnChange() async {
      await #expect(processExitsWith: .success) {
        deallocatedRegistrarsNotify.store(true, ordering: .relaxed)
        let calls = Tally()
        let table = table("ab")
        let variables = (0..<600).map { _ in Variable(0) }
        for _ in 0..<3 {
          withObservationTracking {
            for variable in variables { _ = variable.constant.value }
            _ = (table.constant[id: "a"], table.constant.ids.value)
          } onChange: {
            calls.add()
          }
        }
        for _ in 0..<1_000 { track(Constant(Variable(0))) }
        #expect(calls.value == 0)

        table[id: "a"]?.title = "other"
        variables[0].value = 1

        #expect(calls.value == 3)
        withExtendedLifetime(variables) {}
      }
    }
  #endif
}
