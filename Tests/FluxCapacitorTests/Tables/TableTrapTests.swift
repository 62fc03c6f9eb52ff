import FluxCapacitor
import Testing

/// B12: a mistake with a table traps with a sentence that names the types.
@Suite(.timeLimit(.minutes(20)))
struct TableTrapTests {
  @Test func appendingARowTwiceTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let cards = table("a")
      cards.append(Card("a"))
    }

    expectSentence(in: result, "VariableTable<Card> already contains a row with the id a.")
  }

  @Test func replacingAllRowsByTwoRowsWithOneIDTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      table("").replaceAll(with: [Card("a"), Card("b"), Card("a")])
    }

    expectSentence(in: result, "VariableTable<Card> already contains a row with the id a.")
  }

  @Test func keepingARowTwiceTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      table("ab").replaceAll(with: [Card("a"), Card("b"), Card("a")])
    }

    expectSentence(in: result, "VariableTable<Card> already contains a row with the id a.")
  }

  @Test func assigningARowUnderAnotherIDTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      table("a")["a"] = Card("b")
    }

    expectSentence(in: result, "VariableTable<Card>", "a row with the id b under the id a")
  }

  @Test func changingTheIDOfARowInPlaceTraps() async {
    struct Renamed: Identifiable {
      var id: Int
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rows = VariableTable([Renamed(id: 1)])
      rows[1]?.id = 2
    }

    expectSentence(in: result, "VariableTable<Renamed>", "a row with the id 2 under the id 1")
  }

  @Test(arguments: [-1, 2]) func insertingARowOutOfBoundsTraps(position: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [position] in
      table("a").insert(Card("b"), at: position)
    }

    expectSentence(
      in: result,
      "The position \(position) is out of range. A VariableTable<Card> has 1 rows."
    )
  }

  @Test(arguments: [-1, 1]) func movingARowOutOfBoundsTraps(position: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [position] in
      table("a").move("a", to: position)
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
      let row = cards.row("a")
      func change(_ card: inout Card?) {
        switch use {
        case .subscript: card = cards["b"]
        case .row: card = row.value
        case .rows: card = cards.rows.value.first
        case .ids: card?.title = "\(cards.ids.value)"
        case .append: cards.append(Card("c"))
        case .changeInPlace: cards["b"]?.title = "other"
        }
      }
      change(&cards["a"])
    }

    expectSentence(in: result, "VariableTable<Card>", "inside its own mutation")
  }

  enum Use: Codable, CaseIterable {
    case `subscript`, row, rows, ids, append, changeInPlace
  }
}
