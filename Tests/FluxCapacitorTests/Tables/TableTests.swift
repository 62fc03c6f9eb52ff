import FluxCapacitor
import FluxCapacitorTesting
import Foundation
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

  @Test func writtenRowsReplaceThoseThatMirrorsDoNotTellApart() {
    let dates = VariableTable([Hiding(id: 1, value: DateComponents(year: 2015))])
    let links = VariableTable([Hiding(id: 1, value: URLComponents(string: "https://hv.org/a"))])
    let objects = VariableTable([Hiding<any Sendable>(id: 1, value: Feet(number: 1))])
    let texts = VariableTable([Shy(id: 1, text: "old")])
    let usages = VariableTable([Hiding(id: 1, value: rusage())])
    var usage = rusage()
    usage.ru_maxrss = 1

    dates.write(any: [Hiding(id: 1, value: DateComponents(year: 2015, month: 10))])
    links.write(any: [Hiding(id: 1, value: URLComponents(string: "https://hv.org/a?b=1"))])
    objects.write(any: [Hiding<any Sendable>(id: 1, value: Meters(number: 1))])
    texts.write(any: [Shy(id: 1, text: "new")])
    usages.write(any: [Hiding(id: 1, value: usage)])

    #expect(dates[id: 1]?.value.month == 10)
    #expect(links[id: 1]?.value?.query == "b=1")
    #expect(objects[id: 1]?.value is Meters)
    #expect(texts[id: 1]?.text == "new")
    #expect(usages[id: 1]?.value.ru_maxrss == 1)
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

private struct Hiding<Value>: Sendable, Identifiable {
  let id: Int
  nonisolated(unsafe) let value: Value
}

private struct Feet { let number: Int }
private struct Meters { let number: Int }

/// A row with a mirror that hides a property.
private struct Shy: Identifiable, CustomReflectable {
  let id: Int
  let text: String

  var customMirror: Mirror { Mirror(self, children: ["id": id], displayStyle: .struct) }
}
