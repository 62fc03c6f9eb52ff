import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// B12: the constants of a table deliver each change once.
@Suite(.isolatedDispatcher)
struct TableObservingTests {
  private let calls = Tally()
  private let dusts = DustBuster()

  @Test func rowDeliversItsChangesAndItsAppearanceAndItsDisappearance() {
    let cards = table("a")
    let titles = Log<String?>()
    cards.row(id: "b").observe { titles.append($0?.title) }.cleaned(by: dusts)

    cards.append(Card("b", "first"))
    cards[id: "b"]?.title = "second"
    cards[id: "b"] = Card("b", "third")
    cards[id: "a"]?.title = "other"
    cards.remove(id: "b")
    cards.insert(Card("b", "fourth"), at: 0)
    cards.move(id: "b", to: 1)
    cards.removeAll()
    cards.replaceAll(with: [Card("b", "fifth")])

    #expect(
      titles.entries == [
        nil, "first", "second", "third", nil, "fourth", nil, "fifth",
      ]
    )
  }

  @Test func idsDeliverOnlyRowsThatAppearDisappearOrMove() {
    let cards = table("ab")
    let ids = Log<[String]>()
    cards.ids.observe { ids.append($0) }.cleaned(by: dusts)

    cards[id: "a"]?.title = "other"
    cards.append(Card("c"))
    cards.move(id: "c", to: 0)
    cards.move(id: "c", to: 0)
    cards.insert(Card("d"), at: 1)
    cards.remove(id: "a")
    cards[id: "b"] = nil
    cards.replaceAll(with: [Card("d"), Card("c")])
    cards.replaceAll(with: [Card("d", "other"), Card("c")])

    let letters = ids.entries.map { $0.joined() }
    #expect(letters == ["ab", "abc", "cab", "cdab", "cdb", "cd", "dc"])
  }

  @Test func rowsDeliverEveryChange() {
    let cards = table("a")
    let rows = Log<[String]>()
    cards.rows.observe { rows.append($0.map(\.title)) }.cleaned(by: dusts)

    cards[id: "a"]?.title = "other"
    cards[id: "x"]?.title = "other"
    cards.remove(id: "x")
    cards.append(Card("b"))
    cards.removeAll()

    #expect(rows.entries == [["A"], ["other"], ["other", "B"], []])
  }

  @Test func changeOfOneRowCallsNoObserverOfAnotherRow() {
    let cards = table("ab")
    cards.row(id: "b").observe(ignoreFirst: true) { [calls] _ in calls.add() }.cleaned(by: dusts)

    cards[id: "a"]?.title = "other"
    cards[id: "a"] = nil
    cards.append(Card("c"))

    #expect(calls.value == 0)
  }

  @Test func reduceCallsEachObserverOnceWithTheLastValue() {
    let store = CardStore.instantiate()
    let log = Log<String>()
    for id in ["a", "b"] {
      store.cards.row(id: id).observe(ignoreFirst: true) { row in
        // The other rows have their values after the reduce.
        let others = store.cards.rows.value.map(\.title).joined(separator: "+")
        log.append("\(id): \(row?.title ?? "nil") in \(others)")
      }
      .cleaned(by: dusts)
    }
    store.cards.ids.observe(ignoreFirst: true) { log.append("ids: \($0.joined())") }
      .cleaned(by: dusts)
    store.cards.rows.observe(ignoreFirst: true) { log.append("rows: \($0.count)") }
      .cleaned(by: dusts)

    Dispatcher.shared.changeCards {
      $0.append(Card("a"))
      $0[id: "a"]?.title = "first"
      $0.append(Card("b"))
      $0[id: "b"]?.title = "second"
      $0[id: "a"]?.title += "!"
    }

    #expect(
      log.entries.sorted() == [
        "a: first! in first!+second", "b: second in first!+second", "ids: ab", "rows: 2",
      ]
    )
  }

  @Test func rowsCombineIntoOneChange() {
    let cards = table("ab")
    let dispatcher = Dispatcher()
    let titles = Log<String>()
    let both = Constant.combine(cards.row(id: "a"), cards.row(id: "b")).map { first, second in
      "\(first?.title ?? "-")\(second?.title ?? "-")"
    }
    both.removeDuplicates().observe { titles.append($0) }.cleaned(by: dusts)

    dispatcher.transaction {
      cards[id: "a"]?.title = "X"
      cards[id: "b"]?.title = "Y"
    }
    cards[id: "a"]?.tags.append(1)
    cards.remove(id: "b")

    #expect(titles.entries == ["AB", "XY", "X-"])
  }

  @Test func replacingEqualRowsCallsNoObserver() {
    let cards = table("abc")
    let calls = Log<String>()
    for id in ["a", "b", "c"] {
      cards.row(id: id).observe(ignoreFirst: true) { _ in calls.append(id) }.cleaned(by: dusts)
    }
    cards.rows.observe(ignoreFirst: true) { _ in calls.append("rows") }.cleaned(by: dusts)
    cards.ids.observe(ignoreFirst: true) { _ in calls.append("ids") }.cleaned(by: dusts)

    cards.replaceAll(with: cards.rows.value)
    #expect(calls.entries.isEmpty)
    cards.replaceAll(with: [Card("c"), Card("b", "other"), Card("d"), Card("a")])

    #expect(calls.entries.sorted() == ["b", "ids", "rows"])
    #expect(cards.letters == "cbda")
    for row in cards.rows.value { #expect(cards[id: row.id] == row) }
  }

  @Test func replacedRowThatEqualsTheFormerRowKeepsTheFormerValue() {
    /// A row whose `==` ignores one property.
    struct Loose: Identifiable, Equatable {
      let id: Int
      var note = ""

      static func == (left: Loose, right: Loose) -> Bool { left.id == right.id }
    }
    let rows = VariableTable([Loose(id: 1, note: "old"), Loose(id: 2)])
    let row = rows.row(id: 1)

    rows.replaceAll(with: [Loose(id: 2), Loose(id: 1, note: "new")])

    #expect(rows[id: 1]?.note == "old")
    #expect(row.value?.note == "old")
    #expect(rows.rows.value.last?.note == "old")
  }

  @Test func replacingRowsThatAreNotEquatableCallsTheirObservers() {
    struct Plain: Identifiable {
      let id: Int
    }
    let rows = VariableTable([Plain(id: 1), Plain(id: 2)])
    rows.row(id: 1).observe(ignoreFirst: true) { [calls] _ in calls.add() }.cleaned(by: dusts)

    rows.replaceAll(with: [Plain(id: 2), Plain(id: 1)])

    #expect(calls.value == 1)
  }

  @Test func genericCodeAlsoSkipsEqualRows() {
    func replaceAll<Row>(of table: VariableTable<Row>) { table.replaceAll(with: table.rows.value) }
    let cards = table("ab")
    cards.rows.observe(ignoreFirst: true) { [calls] _ in calls.add() }.cleaned(by: dusts)

    replaceAll(of: cards)

    #expect(calls.value == 0)
  }
}
