import FluxCapacitor
import FluxCapacitorTesting
import Testing

/// B12: reading and changing the rows of a table.
@Suite(.isolatedDispatcher)
struct TableTests {
  @Test func rowIsFoundByItsID() {
    let cards = table("abc").constant

    #expect(cards[id: "b"] == Card("b"))
    #expect(cards[id: "x"] == nil)
    #expect(cards.row(id: "c").value == Card("c"))
    #expect(cards.row(id: "x").value == nil)
    #expect(cards.ids.value == ["a", "b", "c"])
    #expect(cards.rows.value.map(\.title) == ["A", "B", "C"])
  }

  @Test func constantTableHasTheRowsOfItsVariableTable() {
    let cards = table("a")
    let published = ConstantTable(cards)

    cards.append(Card("b"))

    #expect(published.letters == "ab")
    #expect(published[id: "b"] == Card("b"))
  }

  @Test(arguments: [("a", 3, "bcda"), ("d", 0, "dabc"), ("b", 2, "acbd"), ("c", 2, "abcd")])
  func movedRowHasItsNewPosition(id: String, position: Int, letters: String) {
    let cards = table("abcd")

    cards.move(id: id, to: position)
    cards.move(id: "x", to: 0)

    #expect(cards.letters == letters)
    for row in cards.rows.value { #expect(cards[id: row.id] == row) }
  }

  @Test(arguments: ["a", "b", "c"]) func removeReturnsTheRemovedRow(id: String) {
    let cards = table("abc")

    #expect(cards.remove(id: id) == Card(id))
    #expect(cards.remove(id: id) == nil)

    #expect(cards.letters == "abc".filter { String($0) != id })
    for row in cards.rows.value { #expect(cards[id: row.id] == row) }
  }

  @Test func assigningARowReplacesOrAppendsIt() {
    let cards = table("ab")

    cards[id: "a"] = Card("a", "Another")
    cards[id: "c"] = Card("c")
    cards[id: "b"] = nil
    cards[id: "x"] = nil

    #expect(cards.rows.value == [Card("a", "Another"), Card("c")])
  }

  @Test(arguments: ["a", "b", "c"]) func rowThatBecomesNilInPlaceIsRemoved(id: String) {
    let cards = table("abc")
    func change(_ row: inout Card?) { row = nil }

    change(&cards[id: id])

    #expect(cards.letters == "abc".filter { String($0) != id })
    for row in cards.rows.value { #expect(cards[id: row.id] == row) }
  }

  @Test func rowThatAppearsInPlaceIsAppended() {
    let cards = table("a")
    func change(_ row: inout Card?) { row = Card("b") }

    change(&cards[id: "b"])

    #expect(cards.letters == "ab")
    #expect(cards[id: "b"] == Card("b"))
  }

  @Test(arguments: [false, true])
  func changeInPlaceDoesNotCopyTheArraysInARow(isObserved: Bool) {
    let cards = table("abc")
    let dust = isObserved ? cards.row(id: "b").observe { _ in } : nil
    cards[id: "b"]?.tags = Array(0..<100)
    cards[id: "b"]?.tags.reserveCapacity(200)
    func address() -> UInt? {
      var address: UInt?
      cards[id: "b"]?.tags.withUnsafeMutableBufferPointer {
        address = UInt(bitPattern: $0.baseAddress)
      }
      return address
    }
    let before = address()

    cards[id: "b"]?.tags.append(100)

    #expect(address() == before)
    #expect(cards[id: "b"]?.tags.count == 101)
    dust?.clean()
  }
}
