import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// Time travel, logs and the explorer show a table as one value with named rows.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct TableToolsTests {
  fileprivate struct Card: Identifiable, Equatable {
    let id: String
    var title: String
    var password = Password()
  }

  fileprivate struct Password: Secret, Equatable {}

  private let store = CardStore.instantiate()
  private let milk = Card(id: "milk", title: "Milk")
  private let bread = Card(id: "bread", title: "Bread")
  private let text = Text()

  private func change(_ body: @escaping @Sendable (VariableTable<Card>) -> Void) {
    Dispatcher.shared.dispatch(Cards.change(body))
  }

  @Test func eventOfADispatchHasTheRowsOfATableAsOneValue() {
    let events = Log<DispatchEvent>()
    let dust = Dispatcher.shared.intercept { events.append($0) }

    change { [milk] in $0.append(milk) }
    change { _ in }

    #expect(events.entries.map(\.changes.count) == [1, 0])
    let change = events.entries.first?.changes.first
    #expect(change?.name == "cards")
    #expect(change?.oldValue as? [Card] == [])
    #expect(change?.newValue as? [Card] == [milk])
    dust.clean()
  }

  @Test func timeTravelRestoresTheRowsOfATable() {
    let circuits = TimeCircuits()
    let titles = ValueRecorder(store.cards.row(id: "milk").map { $0?.title })
    let ids = ValueRecorder(store.cards.ids)

    change { [milk, bread] in $0.replaceAll(with: [milk, bread]) }
    change { $0[id: "milk"]?.title = "Oat milk" }
    change { $0.remove(id: "milk") }
    circuits.undo()
    circuits.travel(to: 0)
    circuits.travel(to: 3)

    // The last travel writes the row and removes it again, which is one change.
    #expect(titles.values == [nil, "Milk", "Oat milk", nil, "Oat milk", nil, nil])
    #expect(ids.values == [[], ["milk", "bread"], ["bread"], ["milk", "bread"], [], ["bread"]])
    #expect(store.cards.rows.value == [bread])
  }

  @Test func timeTravelRestoresTheRowsThatCountAsEqual() {
    let loose = LooseStore.instantiate()
    let circuits = TimeCircuits()
    let notes = ValueRecorder(loose.rows.row(id: 1).map { $0?.note })
    let others = ValueRecorder(loose.rows.row(id: 2), ignoreFirst: true)
    Dispatcher.shared.dispatch(Loose.note("first"))
    Dispatcher.shared.dispatch(Loose.note("second"))

    circuits.undo()

    #expect(notes.values == ["", "first", "second", "first"])
    #expect(others.values.isEmpty)
    #expect(loose.rows[id: 1]?.note == "first")
  }

  @Test func logHasALineForEachChangedRow() {
    let logger = DispatchLogger(format: .textWithChanges, to: text)
    change { [milk, bread] in $0.replaceAll(with: [milk, bread]) }
    let count = text.lines.count

    change { cards in
      cards[id: "milk"]?.title = "Oat milk"
      cards.append(Card(id: "tea", title: "Tea"))
      cards.move(id: "milk", to: 1)
      cards.remove(id: "bread")
    }

    #expect(
      text.lines.dropFirst(count + 1) == [
        #"    CardStore.cards["bread"]: Card(id: "bread", title: "Bread", password: •••) → nil"#,
        #"    CardStore.cards["milk"].title: "Milk" → "Oat milk""#,
        #"    CardStore.cards["tea"]: nil → Card(id: "tea", title: "Tea", password: •••)"#,
      ]
    )
    withExtendedLifetime(logger) {}
  }

  @Test func logNamesTheMovedRow() {
    let logger = DispatchLogger(format: .textWithChanges, to: text)
    let tea = Card(id: "tea", title: "Tea")
    change { [milk, bread] in $0.replaceAll(with: [milk, bread, tea]) }
    let count = text.lines.count

    change { $0.move(id: "milk", to: 2) }

    #expect(text.lines.dropFirst(count + 1) == [#"    CardStore.cards["milk"] position: 0 → 2"#])
    withExtendedLifetime(logger) {}
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func rowsWithAnInlineArrayAreComparedAndRestored() {
    let store = PixelStore.instantiate()
    let (logger, circuits) = (DispatchLogger(format: .textWithChanges, to: text), TimeCircuits())

    Dispatcher.shared.dispatch(Pixels.paint([1, 2, 3]))
    circuits.undo()

    #expect(text.lines.last == "    PixelStore.pixels: 1 part is not compared")
    #expect(store.pixels[id: 1]?.color[0] == 0)
    withExtendedLifetime(logger) {}
  }

  @Test func jsonLineHasThePathsOfTheChangedRows() throws {
    let logger = DispatchLogger(format: .jsonLines, to: text)
    change { [milk] in $0.append(milk) }

    change { $0[id: "milk"]?.title = "Oat milk" }

    let data = Data(text.lines[1].utf8)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let changes = try #require(object["changes"] as? [[String: Any]])
    #expect(
      changes.first?["paths"] as? [[String: String]] == [
        ["path": #"["milk"].title"#, "old": #""Milk""#, "new": #""Oat milk""#]
      ]
    )
    withExtendedLifetime(logger) {}
  }
}

private enum Cards: DispatchState {
  typealias RelatedStoreType = CardStore

  case change(@Sendable (VariableTable<TableToolsTests.Card>) -> Void)
}

private final class CardStore: Storable {
  var cards: ConstantTable<TableToolsTests.Card> { _cards.constant }
  private let _cards = VariableTable<TableToolsTests.Card>()

  func reduce(with state: Cards) {
    switch state {
    case .change(let body): body(_cards)
    }
  }
}

private enum Loose: DispatchState {
  typealias RelatedStoreType = LooseStore

  case note(String)
}

private final class LooseStore: Storable {
  /// A row whose `==` ignores a property.
  struct Row: Identifiable, Equatable {
    let id: Int
    var note = ""

    static func == (left: Row, right: Row) -> Bool { left.id == right.id }
  }

  var rows: ConstantTable<Row> { _rows.constant }
  private let _rows = VariableTable([Row(id: 1), Row(id: 2)])

  func reduce(with state: Loose) {
    switch state {
    case .note(let note): _rows[id: 1]?.note = note
    }
  }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
private enum Pixels: DispatchState {
  typealias RelatedStoreType = PixelStore

  case paint(InlineArray<3, Int>)
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
private final class PixelStore: Storable {
  struct Pixel: Identifiable {
    let id: Int
    var color: InlineArray<3, Int> = [0, 0, 0]
  }

  let pixels = VariableTable([Pixel(id: 1)])

  func reduce(with state: Pixels) {
    switch state {
    case .paint(let color): pixels[id: 1]?.color = color
    }
  }
}
