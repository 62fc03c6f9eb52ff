import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct IsolatedDispatcherTests {
  @Test(arguments: 0..<100)
  func isolatedDispatcherGivesEachTestCaseItsOwnStores(number: Int) async {
    let store = NoteStore.instantiate()
    #expect(store.text.value == "")

    KeepingAction().invoke(.write("\(number)"))
    await Task.yield()
    await Task { KeepingAction().invoke(.write(store.text.value + "!")) }.value

    #expect(NoteStore.instantiate() === store)
    #expect(store.text.value == "\(number)!")
  }

  @Test func actionThatStoresItsDispatcherReachesTheTestsStoreFromOtherTasks() async {
    let store = NoteStore.instantiate()
    let action = KeepingAction()

    await offTheTask { action.invoke(.write("from a queue")) }
    #expect(store.text.value == "from a queue")
    await Task.detached { action.invoke(.write("detached")) }.value
    #expect(store.text.value == "detached")
  }
}

/// Tests of states that reach the process-wide dispatcher while an isolated test runs.
@Suite(.timeLimit(.minutes(20)))
struct StrayTests {
  /// Runs a body as an isolated test, and returns the messages of its failures.
  private func failuresOfIsolatedTest(
    _ body: @escaping @Sendable () async -> Void
  ) async throws -> [String] {
    let test = try #require(Test.current)
    return try await failures {
      try await IsolatedDispatcherTrait().provideScope(
        for: test,
        testCase: Test.Case.current,
        performing: body
      )
    }
  }

  @Test func stateSentToTheProcessWideDispatcherFailsTheIsolatedTestThatHasItsStore() async throws {
    let sentences = try await failuresOfIsolatedTest {
      let store = MessageStore.instantiate()
      await offTheTask { LosingAction().callBack() }
      #expect(store.count.value == 0)
    }

    #expect(sentences.count == 1)
    #expect(sentences.first?.hasPrefix("Message.sent reached the process's dispatcher") == true)
    #expect(sentences.first?.contains("`let dispatcher = Dispatcher.shared`") == true)
    // If other tests run at the same time, the message only guesses that this test sent the state.
    #expect(sentences.first?.contains(/It (came|seems to come) from this test/) == true)
  }

  @Test func stateInvokedInATaskOfAnIsolatedTestDoesNotFailTheTest() async throws {
    let sentences = try await failuresOfIsolatedTest {
      let store = SearchStore.instantiate()
      await SearchAction().search { ["a"] }
      await Task { SearchAction().invoke(.found([])) }.value
      #expect(store.results.value == [])
    }

    #expect(sentences == [])
  }

  @Test func stateOfATestWithoutIsolationDoesNotFailAnIsolatedTest() async throws {
    enum Ping: DispatchState {
      typealias RelatedStoreType = PingStore
      typealias RelatedActionType = PingAction

      case ping
    }
    struct PingAction: Actionable {
      typealias DispatchStateType = Ping
    }
    final class PingStore: Storable {
      let count = Variable(0)

      func reduce(with _: Ping) { count.value += 1 }
    }
    let store = PingStore.instantiate()

    let sentences = try await failuresOfIsolatedTest {
      #expect(Dispatcher.shared !== Dispatcher.processWide)
    }
    PingAction().invoke(.ping)
    await offTheTask { PingAction().invoke(.ping) }

    #expect(store.count.value == 2)
    #expect(sentences == [])
  }
}
