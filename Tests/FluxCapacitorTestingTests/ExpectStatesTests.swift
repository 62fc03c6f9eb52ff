import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct ExpectStatesTests {
  @Test func expectStatesPassesWhenExactlyTheExpectedStatesArriveInOrder() async {
    await expectStates {
      Dispatcher.Search.isSearching(true)
      Dispatcher.Search.found(["a"])
      Dispatcher.Note.write("done")
    } when: {
      await SearchAction().search { ["a"] }
      KeepingAction().invoke(.write("done"))
    }
  }

  @Test func expectedStatesAreEvaluatedBeforeTheOperation() async {
    let store = NoteStore.instantiate()

    expectStates {
      Dispatcher.Note.write(store.text.value + "a")
    } when: {
      KeepingAction().invoke(.write("a"))
    }
    await expectStates {
      Dispatcher.Note.write(store.text.value + "b")
    } when: {
      await Task.yield()
      KeepingAction().invoke(.write("ab"))
    }
  }

  @Test func expectStatesWithAnEmptyListPassesWhenNoStateIsInvoked() {
    expectStates {
    } when: {
    }
  }

  @Test func expectStatesAcceptsLoopsAndConditionsInItsListOfStates() {
    let isLong = true
    expectStates {
      for number in 0..<3 { Dispatcher.Note.write("\(number)") }
      if isLong { Dispatcher.Note.write("3") }
      switch isLong {
      case true: Dispatcher.Note.write("long")
      case false: Dispatcher.Note.write("short")
      }
    } when: {
      for text in ["0", "1", "2", "3", "long"] { KeepingAction().invoke(.write(text)) }
    }
  }

  @Test func expectStatesComparesLongListsPlaceByPlace() async {
    let sentences = await failures {
      expectStates {
        for number in 0..<400 { Dispatcher.Note.write("\(number)") }
      } when: {
        for number in 0..<400 {
          KeepingAction().invoke(.write(number == 88 ? "late" : "\(number)"))
        }
      }
    }

    let lines = sentences.first?.split(separator: "\n").filter { $0.hasPrefix("✗") }
    #expect(
      lines == [#"✗ Note.write("88") was expected"#, #"✗ Note.write("late") was not expected"#]
    )
  }

  @Test func stateThatWaitsForTheEndOfAReadFailsTheTest() async {
    let failure = await failure {
      Dispatcher.shared.read {
        expectStates {
        } when: {
          SearchAction().invoke(.found(["a"]))
        }
      }
    }

    #expect(failure.contains("waits for the end of a reduce, a modify or a read."))
  }

  @Test func statesOfAnOperationThatThrowsAreCompared() async {
    let synchronous = await failure {
      #expect(throws: CancellationError.self) {
        try expectStates {
        } when: {
          KeepingAction().invoke(.write("a"))
          throw CancellationError()
        }
      }
    }
    let asynchronous = await failure {
      await #expect(throws: CancellationError.self) {
        try await expectStates {
        } when: {
          await Task.yield()
          KeepingAction().invoke(.write("b"))
          throw CancellationError()
        }
      }
    }

    #expect(synchronous.contains(#"✗ Note.write("a") was not expected"#))
    #expect(asynchronous.contains(#"✗ Note.write("b") was not expected"#))
  }

  @Test func expectStatesIgnoresStatesInvokedBeforeTheOperation() {
    KeepingAction().invoke(.write("before"))

    expectStates {
      Dispatcher.Note.write("now")
    } when: {
      KeepingAction().invoke(.write("now"))
    }
  }

  @Test func expectStatesIgnoresStatesOfAnotherDispatcher() {
    let other = Dispatcher()

    expectStates(on: other) {
      Dispatcher.Note.write("there")
    } when: {
      KeepingAction().invoke(.write("here"))
      withDispatcher(other) { KeepingAction().invoke(.write("there")) }
    }
  }

  @Test func failureOfExpectStatesListsMissingAndUnexpectedStates() async {
    let failure = await failure {
      await expectStates {
        Dispatcher.Search.isSearching(true)
        Dispatcher.Search.found(["b"])
        Dispatcher.Note.write("done")
      } when: {
        await SearchAction().search { ["a"] }
        KeepingAction().invoke(.write("done"))
        KeepingAction().invoke(.write("twice"))
      }
    }

    #expect(
      failure == """
        The states differ from the expected states:
          Search.isSearching(true)
        ✗ Search.found(["b"]) was expected
        ✗ Search.found(["a"]) was not expected
          Note.write("done")
        ✗ Note.write("twice") was not expected

        This expectation passes:
          Dispatcher.Search.isSearching(true)
          Dispatcher.Search.found(["a"])
          Dispatcher.Note.write("done")
          Dispatcher.Note.write("twice")
        """
    )
  }

  @Test func expectStatesComparesStatesThatAreNotEquatableByTheirDump() async {
    let failure = await failure {
      expectStates {
        Query.ask(.init(number: 1))
        Query.ask(.init(number: 2))
      } when: {
        for number in [1, 3] { Invoker<Query>().invoke(.ask(.init(number: number))) }
      }
    }

    #expect(failure.contains("✗ Query.ask(Question(number: 2)) was expected"))
  }
}

private enum Query: DispatchState {
  typealias RelatedStoreType = QueryStore

  struct Question: Sendable {
    var number: Int
  }

  case ask(Question)
}

private final class QueryStore: Storable {
  func reduce(with _: Query) {}
}
