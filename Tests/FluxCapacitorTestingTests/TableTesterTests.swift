import FluxCapacitor
import FluxCapacitorTesting
import Testing

/// A `StoreTester` compares a table as one value, and shows the rows that differ.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct TableTesterTests {
  private let tester = StoreTester(CardStore.self)

  fileprivate struct Card: Identifiable, Equatable {
    let id: String
    var title: String
  }

  @Test func storeTesterComparesTheRowsOfATable() {
    tester.invoke(.add("milk", "Milk")) {
      Change(\.cards, to: [Card(id: "milk", title: "Milk")])
    }
    tester.invoke(.rename("milk", "Oat milk")) {
      Change.named("cards", to: [Card(id: "milk", title: "Oat milk")])
    }
    tester.invoke(.rename("bread", "Bread"))
  }

  @Test func failureOfAStoreTesterNamesTheRowsOfATable() async {
    tester.store.reduce(with: .add("milk", "Milk"))
    tester.store.reduce(with: .add("bread", "Bread"))

    let failure = await failure { tester.invoke(.rename("milk", "Oat milk")) }

    #expect(
      failure == """
        CardStore after Cards.rename("milk", "Oat milk"):
        ✗ cards["milk"].title: "Milk" → "Oat milk", which was not expected

        This expectation passes:
          Change(\\.cards, to: [Card(id: "milk", title: "Oat milk"), Card(id: "bread", title: "Bread")])
        """
    )
  }

  @Test func failureOfAStoreTesterNamesTheRowsThatDifferFromTheExpectation() async {
    tester.store.reduce(with: .add("milk", "Milk"))
    tester.store.reduce(with: .add("bread", "Bread"))

    let line = #line + 3
    let failure = await failure {
      tester.invoke(.rename("milk", "Oat milk")) {
        Change(
          \.cards,
          to: [Card(id: "milk", title: "Soy milk"), Card(id: "bread", title: "Bread")]
        )
      }
    }

    #expect(
      failure == """
        CardStore after Cards.rename("milk", "Oat milk"):
        ✗ cards["milk"].title: "Milk" → "Oat milk", but "Soy milk" was expected (line \(line))

        This expectation passes:
          Change(\\.cards, to: [Card(id: "milk", title: "Oat milk"), Card(id: "bread", title: "Bread")])
        """
    )
  }

  @Test func recorderRecordsTheChangesOfARow() {
    let store = CardStore.instantiate()
    let titles = ValueRecorder(store.cards.row(id: "milk").map { $0?.title })

    CardAction().invoke(.add("milk", "Milk"))
    CardAction().invoke(.rename("milk", "Oat milk"))

    #expect(titles.values == [nil, "Milk", "Oat milk"])
  }
}

extension Dispatcher {
  fileprivate enum Cards: DispatchState {
    typealias RelatedStoreType = CardStore

    case add(String, String)
    case rename(String, String)
  }
}

private typealias CardAction = Invoker<Dispatcher.Cards>

private final class CardStore: Storable {
  var cards: ConstantTable<TableTesterTests.Card> { _cards.constant }
  private let _cards = VariableTable<TableTesterTests.Card>()

  func reduce(with state: Dispatcher.Cards) {
    switch state {
    case .add(let id, let title): _cards.append(TableTesterTests.Card(id: id, title: title))
    case .rename(let id, let title): _cards[id: id]?.title = title
    }
  }
}
