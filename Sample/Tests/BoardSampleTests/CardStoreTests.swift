import BoardSample
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct CardStoreTests {
  private let tester = StoreTester(CardStore.self, .relaxed)
  private let milk = Card(id: 1, title: "Buy milk")
  private let bread = Card(id: 2, title: "Buy bread")

  @Test func editsChangeOnlyTheirCards() {
    tester.invoke(.add(title: "Buy milk")) {
      Change(\.cards, to: [milk])
    }
    tester.invoke(.add(title: "Buy bread")) {
      Change(\.cards, to: [milk, bread])
    }
    tester.invoke(.setDone(1, true)) {
      Change(\.cards, to: [Card(id: 1, title: "Buy milk", isDone: true), bread])
    }
    tester.invoke(.rename(2, to: "Buy rolls")) {
      Change(
        \.cards,
        to: [
          Card(id: 1, title: "Buy milk", isDone: true), Card(id: 2, title: "Buy rolls"),
        ]
      )
    }
    tester.invoke(.remove(1)) {
      Change(\.cards, to: [Card(id: 2, title: "Buy rolls")])
    }
  }

  @Test func undoRestoresARemovedCardInItsPlace() {
    add("Buy milk", "Buy bread")

    tester.invoke(.remove(1)) {
      Change(\.cards, to: [bread])
    }
    tester.invoke(.undo) {
      Change(\.cards, to: [milk, bread])
    }
    tester.invoke(.redo) {
      Change(\.cards, to: [bread])
    }
  }

  @Test func newEditForgetsTheEditsThatRedoWouldRepeat() {
    add("Buy milk", "Buy bread")
    tester.invoke(.undo)

    tester.invoke(.rename(1, to: "Buy oat milk")) {
      Change(\.canRedo, to: false)
    }
    tester.invoke(.redo)

    #expect(tester.store.cards.rows.value == [Card(id: 1, title: "Buy oat milk")])
  }

  @Test func numberOfAnUndoneCardIsNotReused() {
    add("Buy milk")
    tester.invoke(.undo)

    tester.invoke(.add(title: "Buy bread")) {
      Change(\.cards, to: [bread])
    }
  }

  @Test func editWithoutEffectIsNotUndone() {
    add("Buy milk")

    StoreTester(tester.store).invoke(.setDone(1, false))
    StoreTester(tester.store).invoke(.remove(2))
    tester.invoke(.undo) {
      Change(\.cards, to: [])
    }
  }

  @Test func onlyTheLastHundredEditsAreUndone() {
    add("0")
    for title in 1...100 { tester.invoke(.rename(1, to: "\(title)")) }

    for _ in 0..<200 { tester.invoke(.undo) }

    #expect(tester.store.cards.rows.value.map(\.title) == ["0"])
    #expect(!tester.store.canUndo.value)
  }

  @Test func rollBackRestoresTheServersCardAndCanBeUndone() {
    add("Buy milk", "Buy bread")
    tester.invoke(.rename(1, to: "Steal milk"))

    tester.invoke(.rollBack(Edit(id: 1, old: milk, new: Card(id: 1, title: "Steal milk")))) {
      Change(\.cards, to: [milk, bread])
    }
    tester.invoke(.undo) {
      Change(\.cards, to: [Card(id: 1, title: "Steal milk"), bread])
    }
    tester.invoke(.undo) {
      Change(\.cards, to: [milk, bread])
    }
  }

  @Test func rollBackKeepsANewerEdit() {
    add("Buy milk")
    tester.invoke(.rename(1, to: "Steal milk"))
    tester.invoke(.rename(1, to: "Borrow milk"))

    StoreTester(tester.store)
      .invoke(.rollBack(Edit(id: 1, old: milk, new: Card(id: 1, title: "Steal milk"))))
  }

  private func add(_ titles: String...) {
    for title in titles { tester.invoke(.add(title: title)) }
  }
}
