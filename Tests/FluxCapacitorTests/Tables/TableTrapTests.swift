import FluxCapacitor
import Testing

/// B12: a mistake with a table traps with a sentence that names the types.
@Suite(.timeLimit(.minutes(20)))
struct TableTrapTests {
  @Test(arguments: Mistake.allCases) func rowWithAWrongIDTraps(mistake: Mistake) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [mistake] in
      mistake.make()
    }

    expectSentence(in: result, "VariableTable<Card>", mistake.sentence)
  }

  enum Mistake: Codable, CaseIterable {
    case appendTwice, replaceAllByTwoWithOneID, keepTwice, assignUnderAnotherID

    var sentence: String {
      self == .assignUnderAnotherID
        ? "a row with the id b under the id a" : " already contains a row with the id a."
    }

    func make() {
      switch self {
      case .appendTwice: table("a").append(Card("a"))
      case .replaceAllByTwoWithOneID:
        table("").replaceAll(with: [Card("a"), Card("b"), Card("a")])
      case .keepTwice: table("ab").replaceAll(with: [Card("a"), Card("b"), Card("a")])
      case .assignUnderAnotherID: table("a")[id: "a"] = Card("b")
      }
    }
  }

  @Test func changingTheIDOfARowInPlaceTraps() async {
    struct Renamed: Identifiable {
      var id: Int
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rows = VariableTable([Renamed(id: 1)])
      rows[id: 1]?.id = 2
    }

    expectSentence(in: result, "VariableTable<Renamed>", "a row with the id 2 under the id 1")
  }

  @Test(arguments: [(-1, true), (2, true), (-1, false), (1, false)])
  func insertingOrMovingARowOutOfBoundsTraps(position: Int, isInserted: Bool) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [position, isInserted] in
      let cards = table("a")
      if isInserted {
        cards.insert(Card("b"), at: position)
      } else {
        cards.move(id: "a", to: position)
      }
    }

    expectSentence(
      in: result,
      "The position \(position) is out of range. A VariableTable<Card> has 1 rows."
    )
  }

  @Test(arguments: Use.allCases) func useOfATableInsideItsOwnChangeTraps(use: Use) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [use] in
      let cards = table("ab")
      let row = cards.row(id: "a")
      func change(_ card: inout Card?) {
        switch use {
        case .subscript: card = cards[id: "b"]
        case .row: card = row.value
        case .rows: card = cards.rows.value.first
        case .ids: card?.title = "\(cards.ids.value)"
        case .append: cards.append(Card("c"))
        case .changeInPlace: cards[id: "b"]?.title = "other"
        }
      }
      change(&cards[id: "a"])
    }

    expectSentence(in: result, "VariableTable<Card>", "inside its own mutation")
  }

  enum Use: Codable, CaseIterable {
    case `subscript`, row, rows, ids, append, changeInPlace
  }
}
