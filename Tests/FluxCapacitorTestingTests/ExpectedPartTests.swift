import FluxCapacitor
import FluxCapacitorTesting
import Testing

/// Tests of expectations that state the changed part of a value, and of the differences in failure messages.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct ExpectedPartTests {
  fileprivate struct Card: Equatable, Identifiable {
    var id: String
    var title: String
    var labels: [String] = []
  }

  fileprivate struct Board: Equatable {
    var cards: [String: Card]
    var owner: String?
  }

  private let tester = StoreTester(BoardStore.self)
  private static let names = ["milk", "bread", "tea", "salt", "rice"]

  init() {
    BoardAction().invoke(.fill(Self.names))
  }

  @Test func eachChangeOfAPartStartsFromTheValueBeforeThatChange() async {
    await tester.expect {
      for title in ["Milk", "Oat milk"] {
        Change(\.board) { $0.cards["milk"]?.title = title }
        Change(\.list) { $0[0].title = title }
        Change(\.rows) { $0[0].title = title }
        Change.named("secret", as: Board.self) { $0.cards["milk"]?.title = title }
      }
    } when: {
      BoardAction().invoke(.rename("milk", "Milk"))
      BoardAction().invoke(.rename("milk", "Oat milk"))
    }
  }

  @Test func failureShowsOnlyThePartThatDiffersFromTheExpectedPart() async {
    let relaxed = StoreTester(BoardStore.self, .relaxed)
    let line = UInt(#line + 3)
    let failure = await failure {
      relaxed.invoke(.rename("milk", "Milk")) {
        Change(\.board) { $0.cards["milk"]?.title = "Soy milk" }
      }
    }

    #expect(
      failure.hasPrefix(
        """
        BoardStore after Shelf.rename("milk", "Milk"):
        ✗ board.cards["milk"].title: was expected to change to "Soy milk", but did not (line \(line))
        """
      )
    )
  }

  @Test func failureEndsWithAnExpectationOfTheChangedParts() async {
    let failure = await failure { tester.invoke(.rename("milk", "Milk")) }

    #expect(
      failure == """
        BoardStore after Shelf.rename("milk", "Milk"):
        ✗ board.cards["milk"].title: "milk" → "Milk", which was not expected
        ✗ list["milk"].title: "milk" → "Milk", which was not expected
        ✗ rows["milk"].title: "milk" → "Milk", which was not expected
        ✗ secret.cards["milk"].title: "milk" → "Milk", which was not expected

        This expectation passes:
          Change(\\.board) { $0.cards["milk"]?.title = "Milk" }
          Change(\\.list) { $0[0].title = "Milk" }
          Change(\\.rows) { $0[0].title = "Milk" }
          Change.named("secret", as: Board.self) { $0.cards["milk"]?.title = "Milk" }
        """
    )
  }

  @Test func failureListsInsertedAndRemovedElements() async {
    let failure = await failure {
      tester.invoke(.fill(["tea", "milk", "bread", "oil", "rice"])) {
        Change(\.board) { $0.owner = "Emmett" }
        Change(\.list) { $0.removeLast() }
      }
    }

    #expect(
      failure.contains(
        """
        ✗ board.cards["oil"]: nil → Card(id: "oil", title: "oil", labels: []), but nil was expected
        """
      )
    )
    #expect(failure.contains(#"✗ list["tea"] position: 2 → 0"#))
  }

  @Test func failureNamesTheTypeThatAClosureExpectsInVain() async {
    let failure = await failure {
      tester.invoke(.rename("milk", "Milk")) {
        Change.named("secret", as: Int.self) { $0 += 1 }
      }
    }

    #expect(failure.contains("a value of the type Int was expected"))
  }

  @Test func expectStatesListsThePartsInWhichALongStateDiffers() async {
    let failure = await failure {
      expectStates {
        Dispatcher.Shelf.show(Self.names.map { Card(id: $0, title: $0) })
      } when: {
        var cards = Self.names.map { Card(id: $0, title: $0) }
        cards[3].title = "Pepper"
        BoardAction().invoke(.show(cards))
      }
    }

    #expect(failure.contains(#"    .show["salt"].title: "Pepper", but "salt" was expected"#))
  }
}

extension Dispatcher {
  fileprivate enum Shelf: DispatchState {
    typealias RelatedStoreType = BoardStore

    case fill([String])
    case rename(String, String)
    case show([ExpectedPartTests.Card])
  }
}

private typealias BoardAction = Invoker<Dispatcher.Shelf>

private final class BoardStore: Storable {
  typealias Card = ExpectedPartTests.Card
  typealias Board = ExpectedPartTests.Board

  var board: Constant<Board> { _board.constant }
  var list: Constant<[Card]> { _list.constant }
  var rows: ConstantTable<Card> { _rows.constant }
  private let _board = Variable(Board(cards: [:]))
  private let _list = Variable<[Card]>([])
  private let _rows = VariableTable<Card>()
  private let secret = Variable(Board(cards: [:]))

  func reduce(with state: Dispatcher.Shelf) {
    switch state {
    case .fill(let names):
      let cards = names.map { Card(id: $0, title: $0) }
      let byName = Dictionary(uniqueKeysWithValues: cards.map { ($0.id, $0) })
      _board.value.cards = byName
      _list.value = cards
      _rows.replaceAll(with: cards)
      secret.value.cards = byName
    case .rename(let id, let title):
      _board.value.cards[id]?.title = title
      _list.modify { list in
        for index in list.indices where list[index].id == id { list[index].title = title }
      }
      _rows[id: id]?.title = title
      secret.value.cards[id]?.title = title
    case .show: break
    }
  }
}
