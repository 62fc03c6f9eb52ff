import FluxCapacitor
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests that the expectation at the end of a failure message compiles and passes.
///
/// Each test compares the message with code that the test also contains as an expectation.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct PastedExpectationTests {
  fileprivate enum Way: Equatable {
    case north, south(miles: Int)
  }

  fileprivate struct Trip: Equatable {
    var stops: [String: Int?] = ["a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8]
    var tags: [String]? = ["a long tag of this trip", "another long tag of this trip"]
    var date = Date(timeIntervalSinceReferenceDate: 0)
  }

  private let tester = StoreTester(TripStore.self)

  private func pasted(_ change: @escaping @Sendable (TripStore) -> Void) async -> [String] {
    let sentences = await failures { tester.invoke(Drive(change: change)) }
    let lines = sentences.first?.split(separator: "\n").map(String.init) ?? []
    return lines.drop { $0 != "This expectation passes:" }.dropFirst().map { $0.trimmed }
  }

  @Test func expectationOfAPrivateVariableStatesItsType() async {
    let change: @Sendable (TripStore) -> Void = { store in
      store.way.value = .south(miles: 88)
      store.byte.value = 88
      store.year.value = nil
      store.names.value = []
    }

    let lines = await pasted(change)
    TripAction().invoke(Drive { $0.reset() })
    tester.invoke(Drive(change: change)) {
      Change.named("way", as: Way.self) { $0 = .south(miles: 88) }
      Change.named("byte", as: UInt8.self) { $0 = 88 }
      Change.named("year", as: Optional<Int>.self) { $0 = nil }
      Change.named("names", as: Array<String>.self) { $0 = [] }
    }

    #expect(
      lines == [
        "Change.named(\"way\", as: Way.self) { $0 = .south(miles: 88) }",
        "Change.named(\"byte\", as: UInt8.self) { $0 = 88 }",
        "Change.named(\"year\", as: Optional<Int>.self) { $0 = nil }",
        "Change.named(\"names\", as: Array<String>.self) { $0 = [] }",
      ]
    )
  }

  @Test func expectationOfAPartSetsAnEntryToNilWithoutRemovingTheEntry() async {
    let change: @Sendable (TripStore) -> Void = { store in
      store.trip.value.stops["a"] = .some(nil)
      store.trip.value.stops["b"] = nil
      store.trip.value.tags?[1] = "a new tag"
    }

    let lines = await pasted(change)
    TripAction().invoke(Drive { $0.reset() })
    tester.invoke(Drive(change: change)) {
      Change.named("trip", as: Trip.self) {
        $0.stops["a"] = .some(nil); $0.stops["b"] = nil; $0.tags?[1] = "a new tag"
      }
    }

    #expect(
      lines == [
        """
        Change.named("trip", as: Trip.self) { $0.stops["a"] = .some(nil); $0.stops["b"] = nil; \
        $0.tags?[1] = "a new tag" }
        """
      ]
    )
  }

  @Test func expectationSaysThatAValueHasNoKnownCode() async {
    let lines = await pasted { $0.trip.value.date = Date(timeIntervalSinceReferenceDate: 88) }

    #expect(
      lines == [
        "Change.named(\"trip\", to: …)  // No code is known for a part of this value."
      ]
    )
  }

  @Test func expectationOfAStructStateBeginsWithTheFullNameOfItsType() async {
    let sentences = await failures {
      expectStates {
      } when: {
        SignAction().invoke(.init(speed: 88))
      }
    }

    #expect(sentences.first?.hasSuffix("\n  Dispatcher.Sign(speed: 88)") == true, "\(sentences)")
  }

  @Test func relaxedTesterStatesTheExpectedValueFromTheValueBeforeTheChange() async {
    let relaxed = StoreTester(TripStore.self, .relaxed)

    let sentences = await failures {
      relaxed.invoke(Drive { $0.byte.value += 1 }) {
        Change.named("byte", as: UInt8.self) { $0 += 2 }
      }
    }

    #expect(
      sentences.first?.contains("✗ byte: was expected to change to 2, but did not") == true,
      "\(sentences)"
    )
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}

extension Dispatcher {
  fileprivate struct Sign: DispatchState, Equatable {
    typealias RelatedStoreType = SignStore
    typealias RelatedActionType = SignAction

    let speed: Int
  }
}

private struct SignAction: Actionable {
  typealias DispatchStateType = Dispatcher.Sign
}

private final class SignStore: Storable {
  func reduce(with _: Dispatcher.Sign) {}
}

private struct Drive: DispatchState {
  typealias RelatedStoreType = TripStore
  typealias RelatedActionType = TripAction

  let change: @Sendable (TripStore) -> Void
}

private struct TripAction: Actionable {
  typealias DispatchStateType = Drive
}

private final class TripStore: Storable {
  let way = Variable(PastedExpectationTests.Way.north)
  let byte = Variable<UInt8>(0)
  let year = Variable<Int?>(1985)
  let names = Variable(["Emmett"])
  let trip = Variable(PastedExpectationTests.Trip())

  func reduce(with state: Drive) {
    state.change(self)
  }

  func reset() {
    way.value = .north
    byte.value = 0
    year.value = 1985
    names.value = ["Emmett"]
    trip.value = PastedExpectationTests.Trip()
  }
}
