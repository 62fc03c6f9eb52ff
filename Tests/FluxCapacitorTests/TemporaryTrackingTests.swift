import FluxCapacitor
import FluxCapacitorTestSupport
import Observation
import Testing

/// B5: a constant that is made inside `withObservationTracking`, and gone afterward, is tracked.
@Suite(.timeLimit(.minutes(20)))
struct TemporaryTrackingTests {
  /// The names of a person, in variables, and temporary constants that derive from them.
  private struct Person: Sendable {
    let first = Variable("Emmett")
    let last = Variable("Brown")

    var name: Constant<String> {
      Constant.combine(first, last.constant).map { "\($0) \($1)" }.removeDuplicates()
    }
  }

  private static let reads: [@Sendable (Person) -> String] = [
    { $0.last.map { "Dr. \($0)" }.value },
    { $0.last.removeDuplicates().value },
    { $0.last.constant.map(\.count).removeDuplicates().map { "\($0) letters" }.value },
    { Constant.combine($0.first, $0.last).value.1 },
    { Constant.combine($0.first.map(\.count), $0.last.map(\.self), $0.last).value.1 },
    { $0.name.value },
    { person in (0..<1_000).reduce(person.last.constant) { name, _ in name.map(\.self) }.value },
  ]

  @Test(arguments: reads.indices)
  func temporaryConstantIsTracked(index: Int) {
    let read = Self.reads[index]
    let person = Person()
    let log = Log<String>()
    @Sendable func draw() {
      let text = withObservationTracking {
        read(person)
      } onChange: {
        draw()
      }
      log.append(text)
    }
    draw()

    person.last.value = "Lathrop Brown"
    person.last.value = "B"

    #expect(log.entries.count == 3)
    #expect(Set(log.entries).count == 3)
    #expect(log.last == read(person))
  }

  @Test func changeOfAnySourceOfATemporaryCombinedConstantCallsOnChangeOnce() {
    let person = Person()
    let log = Log<String>()
    for _ in 1...2 {
      track(person.name) { log.append(person.name.value) }
    }

    Dispatcher().transaction {
      person.first.value = "Clara"
      person.last.value = "Clayton"
    }
    person.first.value = "Jules"

    #expect(log.entries == ["Clara Clayton", "Clara Clayton"])
  }

  @Test func titleOfARowIsTracked() {
    let cards = table("ab")
    let log = Log<String>()
    @Sendable func draw() {
      let title = withObservationTracking {
        cards.row(id: "a").map { $0?.title ?? "No card" }.removeDuplicates().value
      } onChange: {
        draw()
      }
      log.append(title)
    }
    draw()
    let original = log.entries

    cards[id: "b"]?.title = "other"
    #expect(log.entries == original)
    cards[id: "a"]?.title = "new"
    cards.remove(id: "a")
    cards.append(Card("a"))

    #expect(log.entries == original + ["new", "No card"] + original)
  }

  @Test func thousandBodiesBetweenTwoChangesLeaveOneObserverOfEachVariable() {
    let person = Person()
    let cards = table("a")
    let tally = Tally()
    let calls = Tally()
    for _ in 0..<1_000 {
      let counted = Counted(tally)
      withObservationTracking {
        _ = person.name.map { counted.pass($0) }.value
        _ = cards.row(id: "a").map { counted.pass($0?.title) }.value
      } onChange: {
        calls.add()
      }
    }

    #expect(tally.value == 0)
    #expect(person.first.observerCount == 1)
    #expect(person.last.observerCount == 1)
    #expect(cards.row(id: "a").observerCount == 1)
    person.first.value = "Clara"
    #expect(calls.value == 1_000)
  }

  @Test func trackingOfATemporaryConstantIsFreedWithItsVariables() {
    let tally = Tally()
    do {
      let person = Person()
      let counted = Counted(tally)
      track(person.name) { counted.pass(()) }
      #expect(tally.value == 1)
    }
    #expect(tally.value == 0)
  }
}
