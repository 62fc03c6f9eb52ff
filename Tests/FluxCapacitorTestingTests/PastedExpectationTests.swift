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
    var letters = CharacterSet()
  }

  fileprivate struct Stamp: Equatable {
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var url = URL(string: "https://example.com")
    var id: UUID?
    var data = Data()
    var duration = Duration.zero
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
    Invoker<Drive>().invoke(Drive { $0.reset() })
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

  @Test func expectationNamesAKeyWithQuotationMarksInALiteral() async {
    let change: @Sendable (TripStore) -> Void = { $0.miles["a\n\"b\"\\"]?.value = 88 }

    let lines = await pasted(change)
    Invoker<Drive>().invoke(Drive { $0.reset() })
    tester.invoke(Drive(change: change)) { Change.named("miles[a\n\"b\"\\]", to: 88) }

    #expect(lines == [#"Change.named("miles[a\n\"b\"\\]", to: 88)"#])
  }

  @Test func expectationOfAPartSetsAnEntryToNilWithoutRemovingTheEntry() async {
    let change: @Sendable (TripStore) -> Void = { store in
      store.trip.value.stops["a"] = .some(nil)
      store.trip.value.stops["b"] = nil
      store.trip.value.tags?[1] = "a new tag"
    }

    let lines = await pasted(change)
    Invoker<Drive>().invoke(Drive { $0.reset() })
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

  @Test func expectationHasTheCodeOfValuesOfFoundation() async throws {
    let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000088"))
    let stamp = Stamp(
      date: Date(timeIntervalSinceReferenceDate: 0.1),
      url: URL(string: "https://example.com/%C3%A9?q=\"1\""),
      id: id,
      data: Data([8, 8]),
      duration: Duration(attoseconds: .max)
    )

    let lines = await pasted { $0.stamp.value = stamp }
    Invoker<Drive>().invoke(Drive { $0.reset() })
    tester.invoke(Drive { $0.stamp.value = stamp }) {
      Change.named("stamp", as: Stamp.self) {
        $0 = Stamp(
          date: Date(timeIntervalSinceReferenceDate: 0.1),
          url: URL(string: "https://example.com/%C3%A9?q=%221%22")!,
          id: UUID(uuidString: "00000000-0000-0000-0000-000000000088")!,
          data: Data(base64Encoded: "CAg=")!,
          duration: Duration(attoseconds: 170141183460469231731687303715884105727)
        )
      }
    }

    #expect(
      lines == [
        #"""
        Change.named("stamp", as: Stamp.self) { $0 = Stamp(\#
        date: Date(timeIntervalSinceReferenceDate: 0.1), \#
        url: URL(string: "https://example.com/%C3%A9?q=%221%22")!, \#
        id: UUID(uuidString: "00000000-0000-0000-0000-000000000088")!, \#
        data: Data(base64Encoded: "CAg=")!, \#
        duration: Duration(attoseconds: 170141183460469231731687303715884105727)) }
        """#
      ]
    )
  }

  @Test func expectationHasACommentForAValueWithoutKnownCode() async {
    let failure = await failure {
      tester.invoke(
        Drive {
          $0.byte.value = 88
          $0.trip.value.letters = .decimalDigits
        }
      )
    }

    #expect(
      failure.hasSuffix(
        """

        This expectation passes after you replace each comment by code:
          Change.named("byte", as: UInt8.self) { $0 = 88 }
          // Change.named("trip", to: …): No code is known for a part of this value.
        """
      )
    )
  }

  @Test func expectationNamesAVariableThatOnlyADerivedConstantPublishes() async {
    let tester = StoreTester(PageStore.self)
    // The read-only side of the private variable exists, but no property of the store returns it.
    #expect(tester.store.title.value == "0")

    let first = await failures { tester.invoke(.init(text: "1")) }
    Invoker<Page>().invoke(.init(text: "2"))
    let second = await failures {
      tester.invoke(.init(text: "3")) { Change(\.text, to: "0") }
    }

    #expect(
      first.first?.hasSuffix(
        """

        This expectation passes:
          Change.named("revision", to: 1)
          Change.named("text", to: "1")
        """
      ) == true
    )
    // The test itself has listed a change to `text`, so this computed property exists.
    #expect(
      second.first?.hasSuffix(
        """

        This expectation passes:
          Change.named("revision", to: 3)
          Change(\\.text, to: "3")
        """
      ) == true
    )
    tester.invoke(.init(text: "4")) {
      Change.named("revision", to: 4)
      Change(\.text, to: "4")
    }
  }

  @Test func expectationOfAStructStateBeginsWithTheFullNameOfItsType() async {
    let failure = await failure {
      expectStates {
      } when: {
        Invoker<Dispatcher.Sign>().invoke(.init(speed: 88))
      }
    }

    #expect(failure.hasSuffix("\n  Dispatcher.Sign(speed: 88)"))
  }

  @Test func relaxedTesterStatesTheExpectedValueFromTheValueBeforeTheChange() async {
    let relaxed = StoreTester(TripStore.self, .relaxed)

    let failure = await failure {
      relaxed.invoke(Drive { $0.byte.value += 1 }) {
        Change.named("byte", as: UInt8.self) { $0 += 2 }
      }
    }

    #expect(failure.contains("✗ byte: was expected to change to 2, but did not"))
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}

extension Dispatcher {
  fileprivate struct Sign: DispatchState, Equatable {
    typealias RelatedStoreType = SignStore

    let speed: Int
  }
}

private final class SignStore: Storable {
  func reduce(with _: Dispatcher.Sign) {}
}

private struct Page: DispatchState {
  typealias RelatedStoreType = PageStore

  let text: String
}

private final class PageStore: Storable {
  private let _revision = Variable(0)
  private let _text = Variable("0")

  let title: Constant<String>
  let length: Constant<Int>

  var text: Constant<String> { _text.constant }

  init() {
    title = _revision.constant.map { "\($0)" }
    length = _text.map(\.count)
  }

  func reduce(with state: Page) {
    _revision.value += 1
    _text.value = state.text
  }
}

private struct Drive: DispatchState {
  typealias RelatedStoreType = TripStore

  let change: @Sendable (TripStore) -> Void
}

private final class TripStore: Storable {
  let way = Variable(PastedExpectationTests.Way.north)
  let byte = Variable<UInt8>(0)
  let year = Variable<Int?>(1985)
  let names = Variable(["Emmett"])
  let trip = Variable(PastedExpectationTests.Trip())
  let stamp = Variable(PastedExpectationTests.Stamp())
  let miles = ["a\n\"b\"\\": Variable(0)]

  func reduce(with state: Drive) {
    state.change(self)
  }

  func reset() {
    way.value = .north
    byte.value = 0
    year.value = 1985
    names.value = ["Emmett"]
    trip.value = PastedExpectationTests.Trip()
    stamp.value = PastedExpectationTests.Stamp()
    miles.values.forEach { $0.value = 0 }
  }
}
