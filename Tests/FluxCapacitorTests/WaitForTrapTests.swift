import FluxCapacitor
import Testing

/// `waitFor` traps with a message in a cycle of stores and outside a reduce.
@Suite(.timeLimit(.minutes(20)))
struct WaitForTrapTests {
  @Test func trapOfAWaitForCycleNamesOnlyTheStoresInTheCycle() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stores = relayStores()
      Dispatcher.shared.dispatch(
        Relay.run { store in
          if store is FirstStore { store.wait(for: SecondStore.self) }
          if store is SecondStore { store.wait(for: ThirdStore.self) }
          if store is ThirdStore { store.wait(for: SecondStore.self) }
        }
      )
      withExtendedLifetime(stores) {}
    }

    expectSentence(
      in: result,
      "wait for each other: FluxCapacitorTests.SecondStore → FluxCapacitorTests.ThirdStore → "
        + "FluxCapacitorTests.SecondStore."
    )
  }

  @Test func storeThatWaitsForItselfTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = FirstStore.instantiate()
      Dispatcher.shared.dispatch(Relay.run { $0.wait(for: FirstStore.self) })
      withExtendedLifetime(store) {}
    }

    expectSentence(in: result, "FluxCapacitorTests.FirstStore → FluxCapacitorTests.FirstStore.")
  }

  @Test(arguments: Moment.allCases) func waitForOutsideAReduceTraps(moment: Moment) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [moment] in
      let (stores, script) = (relayStores(), ScriptStore.instantiate())
      let wait = { @Sendable in stores.0.waitFor(ThirdStore.self) }
      switch moment {
      case .beforeAnyReduce: wait()
      case .insideAReduceOfAnotherStateType: Dispatcher.shared.reduce { _ in wait() }
      case .afterTheReduce:
        Dispatcher.shared.dispatch(Relay.run { _ in })
        wait()
      }
      withExtendedLifetime(script) {}
    }

    expectSentence(
      in: result,
      "FluxCapacitorTests.FirstStore waits for FluxCapacitorTests.ThirdStore",
      "outside a reduce of a FluxCapacitorTests.Relay."
    )
  }

  enum Moment: Codable, CaseIterable {
    case beforeAnyReduce, insideAReduceOfAnotherStateType, afterTheReduce
  }
}
