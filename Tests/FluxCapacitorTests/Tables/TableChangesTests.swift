import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// B12: `observeChanges` describes each dispatch as a difference of ids.
@Suite(.isolatedDispatcher)
struct TableChangesTests {
  private let list = List()
  private let dusts = DustBuster()

  /// A list on a screen, which applies the changes of a table.
  private final class List: @unchecked Sendable {
    // Only one observer uses these properties, and its calls never overlap.
    var ids: [String] = []
    var updated: [[String]] = []
    var differences: [CollectionDifference<String>] = []

    func apply(_ changes: TableChanges<String>) {
      guard let ids = ids.applying(changes.difference) else {
        Issue.record("The difference doesn't fit \(ids).")
        return
      }
      self.ids = ids
      updated.append(changes.updated)
      differences.append(changes.difference)
    }
  }

  @Test(arguments: ["abc", ""]) func firstCallInsertsAllRows(letters: String) {
    table(letters).observeChanges { [list] in list.apply($0) }.cleaned(by: dusts)

    #expect(list.ids == letters.map { String($0) })
    #expect(list.updated == [[]])
  }

  @Test func eachChangeOfATableMakesOneCall() {
    let cards = table("abc")
    cards.observeChanges { [list] in list.apply($0) }.cleaned(by: dusts)

    cards[id: "b"]?.title = "other"
    cards.append(Card("d"))
    cards.move(id: "d", to: 0)
    cards.remove(id: "a")
    cards.removeAll()

    #expect(list.updated == [[], ["b"], [], [], [], []])
    #expect(list.differences.map(\.count) == [3, 0, 1, 2, 1, 3])
    #expect(list.ids.isEmpty)
  }

  @Test func movedRowHasAssociatedOffsets() {
    let cards = table("abcd")
    cards.observeChanges { [list] in list.apply($0) }.cleaned(by: dusts)

    cards.move(id: "a", to: 2)

    #expect(
      list.differences.last.map(Array.init) == [
        .remove(offset: 0, element: "a", associatedWith: 2),
        .insert(offset: 2, element: "a", associatedWith: 0),
      ]
    )
  }

  @Test func dispatchMakesOneCallWithTheSumOfItsChanges() {
    let store = CardStore.instantiate()
    Dispatcher.shared.changeCards { $0.replaceAll(with: "abcdef".map { Card(String($0)) }) }
    store.cards.observeChanges { [list] in list.apply($0) }.cleaned(by: dusts)

    Dispatcher.shared.changeCards { cards in
      cards.append(Card("g"))
      cards[id: "g"]?.title = "new, so not updated"
      cards[id: "a"]?.title = "other"
      cards[id: "a"]?.title = "other again"
      cards.remove(id: "b")
      cards[id: "c"]?.title = "removed later"
      cards.remove(id: "c")
      cards.append(Card("h"))
      cards.remove(id: "h")
      cards.remove(id: "d")
      cards.insert(Card("d", "replaced"), at: 0)
    }

    #expect(list.ids == ["d", "a", "e", "f", "g"])
    #expect(list.updated.last == ["a", "d"])
    #expect(list.differences.count == 2)
  }

  @Test func changesThatCancelEachOtherOutMakeNoCall() {
    let cards = table("abc")
    cards.observeChanges { [list] in list.apply($0) }.cleaned(by: dusts)

    Dispatcher().transaction {
      cards.append(Card("d"))
      cards.remove(id: "d")
    }
    Dispatcher().transaction {
      cards.move(id: "a", to: 2)
      cards.move(id: "a", to: 0)
    }
    Dispatcher().transaction { for id in ["a", "b", "c"] { cards.move(id: id, to: 2) } }

    #expect(list.differences.count == 1)
  }

  @Test func rowThatReturnsToItsPlaceIsOnlyUpdated() {
    let cards = table("abc")
    cards.observeChanges { [list] in list.apply($0) }.cleaned(by: dusts)

    Dispatcher().transaction {
      cards.remove(id: "b")
      cards.insert(Card("b", "replaced"), at: 1)
    }

    #expect(list.differences.last?.isEmpty == true)
    #expect(list.updated == [[], ["b"]])
  }

  @Test func observerThatSubscribesInsideATransactionReceivesEachChangeOnce() {
    let cards = table("a")

    Dispatcher().transaction {
      cards.append(Card("b"))
      cards.observeChanges { [list] in list.apply($0) }.cleaned(by: dusts)
      cards.append(Card("c"))
    }
    cards.append(Card("d"))

    #expect(list.ids == ["a", "b", "c", "d"])
    #expect(list.differences.map(\.count) == [2, 1, 1])
  }

  @Test func replaceAllMovesAsFewRowsAsPossible() {
    let cards = table("abcdefgh")
    cards.observeChanges { [list] in list.apply($0) }.cleaned(by: dusts)

    cards.replaceAll(with: "hbcdxefg".map { Card(String($0)) })

    #expect(list.ids.joined() == "hbcdxefg")
    // One row has moved, one was removed, and one was inserted.
    #expect(list.differences.last?.count == 4)
    #expect(list.updated.last == [])
  }

  @Test @MainActor func changesOnTheMainQueueArriveAtOnce() {
    let cards = table("a")
    var shown: [String] = []
    cards.observeChanges(on: .main) { changes in
      shown = shown.applying(changes.difference) ?? []
    }.cleaned(by: dusts)

    cards.append(Card("b"))

    #expect(shown == ["a", "b"])
  }

  /// Random changes, compared with an array.
  @Test(arguments: 0..<20) func tableEqualsAnArrayAfterRandomChanges(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    let cards = table("")
    var model: [Card] = []
    let rows = (0..<12).map { _ in Log<Card?>() }
    cards.observeChanges { [list] in list.apply($0) }.cleaned(by: dusts)
    let names = (0..<12).map { String(UnicodeScalar(UInt8(97 + $0))) }
    for (name, log) in zip(names, rows) {
      cards.row(id: name).observe { log.append($0) }.cleaned(by: dusts)
    }
    let shownIDs = Log<[String]>()
    cards.ids.observe { shownIDs.append($0) }.cleaned(by: dusts)

    for step in 0..<stress(5_000) {
      let before = Dictionary(uniqueKeysWithValues: model.map { ($0.id, $0) })
      let ids = list.ids
      (list.updated, list.differences) = ([], [])
      Dispatcher.shared.transaction {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          change(cards, &model, names, step, &random)
        }
      }
      #expect(cards.rows.value == model)
      #expect(list.ids == model.map(\.id))
      #expect(ids != list.ids || list.differences.allSatisfy(\.isEmpty))
      #expect(shownIDs.last == model.map(\.id))
      let changed = model.filter { before[$0.id] != nil && before[$0.id] != $0 }
      let updated = list.updated.last ?? []
      #expect(Set(updated).isSuperset(of: changed.map(\.id)))
      #expect(Set(updated).isSubset(of: model.map(\.id).filter { before[$0] != nil }))
      #expect(Set(updated).count == updated.count && list.updated.count <= 1)
      for (name, log) in zip(names, rows) {
        let row = model.first { $0.id == name }
        #expect(log.last == row)
        #expect(cards[id: name] == row)
      }
    }
  }

  private func change(
    _ cards: VariableTable<Card>,
    _ model: inout [Card],
    _ names: [String],
    _ step: Int,
    _ random: inout SplitMix
  ) {
    let name = names.randomElement(using: &random) ?? ""
    let index = model.firstIndex { $0.id == name }
    let card = Card(name, "\(step)")
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where index == nil:
      cards.append(card)
      model.append(card)
    case 1 where index == nil:
      let position = Int.random(in: 0...model.count, using: &random)
      cards.insert(card, at: position)
      model.insert(card, at: position)
    case 2:
      cards.remove(id: name)
      if let index { model.remove(at: index) }
    case 3:
      cards[id: name]?.title += "!"
      if let index { model[index].title += "!" }
    case 4:
      cards[id: name] = card
      if let index { model[index] = card } else { model.append(card) }
    case 5:
      guard let index else { return }
      let position = Int.random(in: 0..<model.count, using: &random)
      cards.move(id: name, to: position)
      model.insert(model.remove(at: index), at: position)
    case 6:
      model = names.shuffled(using: &random).prefix(Int.random(in: 0...12, using: &random))
        .map { name in
          model.first { $0.id == name && Bool.random(using: &random) } ?? Card(name, "\(step)")
        }
      cards.replaceAll(with: model)
    case 7 where Int.random(in: 0..<10, using: &random) == 0:
      cards.removeAll()
      model = []
    default: break
    }
  }
}
