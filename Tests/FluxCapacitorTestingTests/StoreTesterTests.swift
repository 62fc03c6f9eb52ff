import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(5)))
struct StoreTesterTests {
  @Test func exactChangesInOrderPass() {
    let tester = StoreTester(SearchStore.self)

    tester.invoke(.isSearching(true)) {
      Change(\.isSearching, to: true)
      Change("searches", to: 1)
    }
    tester.invoke(.found(["a", "b"])) {
      Change(\.results, to: ["a", "b"])
      Change(\.isSearching, to: false)
    }
    tester.invoke(.found(["a", "b"]))
  }

  @Test func derivedConstantsMayBeNamed() {
    let tester = StoreTester(SearchStore.self)

    tester.invoke(.found(["a"])) {
      Change(\.count, to: 1)
      Change(\.results, to: ["a"])
    }
    tester.invoke(.found(["b"])) {
      Change(\.results, to: ["b"])
    }
  }

  @Test func operationsOfSeveralStates() async {
    let tester = StoreTester(SearchStore.self)

    await tester.expect {
      Change(\.isSearching, to: true)
      Change("searches", to: 1)
      Change(\.results, to: ["a"])
      Change(\.isSearching, to: false)
    } when: {
      await SearchAction().search { ["a"] }
    }
  }

  @Test func whatWasNotNamedFails() async {
    let tester = StoreTester(SearchStore.self)

    let sentences = await failures {
      tester.invoke(.isSearching(true)) {
        Change(\.isSearching, to: true)
      }
    }

    #expect(
      sentences == [
        """
        SearchStore after Search.isSearching(true):
          isSearching: false → true
        ✗ searches: 0 → 1, which was not expected
        """
      ]
    )
  }

  @Test func anotherValueFails() async {
    let tester = StoreTester(SearchStore.self)

    let line = UInt(#line + 3)
    let sentences = await failures {
      tester.invoke(.found(["a"])) {
        Change(\.results, to: ["b"])
      }
    }

    #expect(
      sentences == [
        """
        SearchStore after Search.found(["a"]):
        ✗ results: [] → ["a"], but ["b"] was expected (line \(line))
        """
      ]
    )
  }

  @Test func whatHasNotChangedFails() async {
    let tester = StoreTester(SearchStore.self)

    let line = UInt(#line + 3)
    let sentences = await failures {
      tester.invoke(.isSearching(false)) {
        Change(\.isSearching, to: false)
      }
    }

    #expect(
      sentences == [
        """
        SearchStore after Search.isSearching(false):
        ✗ isSearching: has not changed to false, as was expected (line \(line))
        """
      ]
    )
  }

  @Test func anotherOrderFails() async {
    let tester = StoreTester(SearchStore.self)
    tester.invoke(.isSearching(true)) {
      Change(\.isSearching, to: true)
      Change("searches", to: 1)
    }

    let sentences = await failures {
      tester.invoke(.found(["a"])) {
        Change(\.isSearching, to: false)
        Change(\.results, to: ["a"])
      }
    }

    #expect(
      sentences == [
        """
        SearchStore after Search.found(["a"]):
          results: [] → ["a"]
          isSearching: true → false
        ✗ in another order than expected: isSearching, results
        """
      ]
    )
  }

  @Test func aRelaxedTesterHearsOfWhatIsNamed() async {
    let tester = StoreTester(SearchStore.self, .relaxed)

    tester.invoke(.isSearching(true)) {
      Change("searches", to: 1)
    }
    let sentences = await failures {
      tester.invoke(.isSearching(true)) {
        Change("searches", to: 3)
      }
    }

    #expect(sentences.count == 1)
    #expect(sentences.first?.contains("✗ searches: has not changed to 3, as was expected") == true)
  }

  @Test func valuesThatAreNotEquatableAreComparedByDump() async {
    struct Opaque: Sendable {
      var number: Int
      let body: (@Sendable () -> Void)? = nil
    }

    #expect(await differences(Opaque(number: 1), Opaque(number: 1)) == [])
    #expect(await differences(Opaque(number: 1), Opaque(number: 2)).count == 1)
  }

  @Test func aNameThatTheStoreDoesNotHaveFails() async {
    let tester = StoreTester(SearchStore.self)

    let sentences = await failures {
      tester.invoke(.isSearching(false)) {
        Change("sarches", to: 1)
      }
    }

    #expect(sentences.count == 1)
    #expect(sentences.first?.contains("sarches: the store has no such variable") == true)
  }

  private func differences(_ value: some Sendable, _ expected: some Sendable) async -> [String] {
    let tester = StoreTester(BoxStore.self)
    return await failures {
      tester.invoke(.put(value)) {
        Change("box", to: expected as any Sendable)
      }
    }
  }
}

private enum Box: DispatchState {
  typealias RelatedStoreType = BoxStore
  typealias RelatedActionType = BoxAction

  case put(any Sendable)
}

private struct BoxAction: Actionable {
  typealias DispatchStateType = Box
}

private final class BoxStore: Storable {
  private let box = Variable<any Sendable>(0)

  func reduce(with state: Box) {
    switch state {
    case .put(let value): box.value = value
    }
  }
}
